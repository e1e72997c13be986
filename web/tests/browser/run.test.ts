import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accessible, fitsWidth, type House, open, shoot, withPage } from "./house.ts";

let house: House;
let run = "";

before(async () => {
  house = await open();
});
after(() => house?.close());

test("a run plays, explains, filters its log, and runs again when a setting changes", async () => {
  await withPage(house, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto("/");
    await page.getByRole("button", { name: "Run it alone" }).click();
    await page.waitForURL(/\/runs\/[0-9a-f]{20}$/);
    run = new URL(page.url()).pathname;
    await page.waitForFunction(() => document.querySelector("[data-answer=pending]") === null);
    assert.match((await page.locator("#answer").textContent()) ?? "", /3,3\d\d\s*device reads|device reads\s*3,3\d\d/);
    assert.match((await page.locator("#answer").textContent()) ?? "", /this run agrees/);

    await page.waitForFunction(() => document.querySelector("ra-transport .play")?.textContent === "Pause");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByLabel("moment of the run").fill("30000");
    await page.getByRole("button", { name: "Next decision" }).click();
    const sentence = (await page.locator("ra-why .sentence").textContent()) ?? "";
    assert.match(sentence, /page [\d,]+/i);
    await page.getByRole("button", { name: "Copy as JSON" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const decision: unknown = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    assert.ok(typeof decision === "object" && decision !== null && "event" in decision && "before" in decision);

    // The last line of the log is the decision that the step went to; a filter keeps what it says.
    await page.waitForFunction(() => {
      const last = [...document.querySelectorAll("ra-log .lines li")].at(-1)?.textContent ?? "";
      return last.endsWith(document.querySelector("ra-why .sentence")?.textContent ?? "?");
    });
    await page.getByLabel("filter by words").fill("block_rq_issue");
    await page.waitForFunction(() => {
      const lines = [...document.querySelectorAll("ra-log .lines li")];
      return lines.length > 5 && lines.every((line) => line.textContent?.includes("block_rq_issue"));
    });
    assert.match((await page.locator("ra-counters").textContent()) ?? "", /device reads[\d,]+/);
    await accessible(page);

    await page.getByText("Settings: change one").click();
    await page.getByLabel("keep-half-window").check();
    await page.waitForURL((url) => url.pathname.startsWith("/runs/") && url.pathname !== run);
    await page.waitForFunction(() => document.querySelector("[data-answer=pending]") === null);
    assert.match((await page.locator("#answer").textContent()) ?? "", /1,03\d/);
  });
});

test("a value that the service does not take is said beside its field, and the page stays", async () => {
  await withPage(house, {}, async (page) => {
    // The browser itself reports an answer with a status of 4xx.
    page.removeAllListeners("console");
    await page.goto(run);
    await page.getByText("Settings: change one").click();
    const size = page.getByLabel("size of the first file");
    assert.equal(await size.inputValue(), "512M");
    await size.fill("12Q");
    await size.press("Tab");
    await page.locator("ra-settings [role=alert]").waitFor();
    const words = await size.evaluate((field) => field.nextElementSibling?.textContent ?? "");
    assert.match(words, /12Q/);
    assert.equal(await size.getAttribute("aria-invalid"), "true");
    assert.equal(new URL(page.url()).pathname, run);
    await accessible(page);
  });
});

test("a link carries the moment", async () => {
  await withPage(house, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto(run);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByLabel("moment of the run").fill("40000");
    await page.getByRole("button", { name: "Link", exact: true }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    // The page draws in the frame after a move: what it shows is read when one has passed.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const time = await page.locator("ra-transport output").textContent();
    await page.goto("/learn");
    await page.goto(await page.evaluate(() => navigator.clipboard.readText()));
    await page.waitForFunction((wanted) => document.querySelector("ra-transport output")?.textContent === wanted, time);
  });
});

test("a run larger than the page holds says so and shows the whole from the service", async () => {
  await withPage(house, {}, async (page) => {
    await page.route(`**${run}`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace("<ra-stage ", '<ra-stage events-max="3000" ');
      await route.fulfill({ response, body });
    });
    await page.goto(run);
    await page.waitForFunction(() =>
      /holds the first 3,000 events/.test(document.querySelector(".held")?.textContent ?? ""),
    );
    const columns = page.waitForResponse(/series\/window_times\?from=0/);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "whole run" }).click();
    assert.equal((await columns).status(), 200);
    // What lies far beyond the events held is drawn too.
    await page.waitForFunction(() => {
      const canvas = document.querySelector<HTMLCanvasElement>("ra-window-chart canvas");
      const pen = canvas?.getContext("2d");
      if (canvas === null || canvas === undefined || pen === null || pen === undefined) return false;
      const from = Math.round(canvas.width * 0.7);
      const { data } = pen.getImageData(from, 0, Math.round(canvas.width * 0.2), Math.round(canvas.height * 0.8));
      let coloured = 0;
      for (let i = 0; i < data.length; i += 4) {
        const [r = 0, g = 0, b = 0, opacity = 0] = data.subarray(i, i + 4);
        if (opacity > 100 && Math.max(r, g, b) - Math.min(r, g, b) > 40) coloured += 1;
      }
      return coloured > 200;
    });
    await shoot(page, "run-larger-than-held");
  });
});

test("terms explain themselves on focus", async () => {
  await withPage(house, {}, async (page) => {
    await page.goto(run);
    await page.locator("a.term", { hasText: "cut below half" }).first().focus();
    assert.match((await page.locator(".tip").textContent()) ?? "", /less than half/);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".tip").count(), 0);
  });
});

test("the theme toggle wins over the system and stays", async () => {
  await withPage(house, { colorScheme: "light" }, async (page) => {
    await page.goto("/");
    const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByRole("button", { name: "Dark" }).click();
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.reload();
    assert.equal(await ground(), dark);
  });
});

for (const [width, scheme] of [
  [1440, "light"],
  [1440, "dark"],
  [390, "light"],
  [390, "dark"],
] as const) {
  test(`gallery, run, learn, limits at ${width} px, ${scheme}`, async () => {
    await withPage(house, { viewport: { width, height: 900 }, colorScheme: scheme }, async (page) => {
      for (const [name, address] of [
        ["gallery", "/"],
        ["learn", "/learn"],
        ["limits", "/limits"],
        ["run", run],
      ] as const) {
        await page.goto(address);
        if (name === "run") {
          await page.waitForFunction(() => document.querySelector("ra-transport .play")?.textContent === "Pause");
          await page.waitForTimeout(2500);
          await page.getByRole("button", { name: "Pause" }).click();
          await page.waitForTimeout(200);
        }
        await fitsWidth(page);
        await accessible(page);
        await shoot(page, `${name}-${width}-${scheme}`);
      }
    });
  });
}

test("without JavaScript a run shows its figures and tables", async () => {
  await withPage(house, { javaScriptEnabled: false }, async (page) => {
    await page.goto(run);
    assert.match((await page.locator("#totals").textContent()) ?? "", /windows/);
    const sources = await page
      .locator("img")
      .evaluateAll((images) => images.map((image) => image.getAttribute("src") ?? ""));
    assert.ok(sources.length >= 8);
    for (const source of sources) {
      const response = await fetch(house.base + source);
      assert.equal(response.status, 200, source);
      assert.match(await response.text(), /<svg/);
    }
    await shoot(page, "run-no-javascript");
  });
});

test("a scenario with a mistake and an address without a run are answered with what to do", async () => {
  await withPage(house, {}, async (page) => {
    // The browser itself reports a page that comes with a status of 4xx; that one line is what is tested here.
    page.removeAllListeners("console");
    await page.goto("/");
    await page.getByText("Write a scenario").click();
    await page.getByLabel("scenario as TOML").fill('title = "x"\n[kernel]\nmodel = "linux-7.2"\nread_ahead = 128\n');
    await page.getByRole("button", { name: "Run it", exact: true }).click();
    await page.waitForSelector("[data-problem]");
    assert.match((await page.locator("[data-problem]").textContent()) ?? "", /read_ahead/);
    await accessible(page);
    await page.goto("/runs/00000000000000000000");
    assert.match((await page.locator("main").textContent()) ?? "", /no run|there is no/i);
    await shoot(page, "problem");
  });
});
