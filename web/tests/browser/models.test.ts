import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { accessible, fitsWidth, type House, open, shoot, withPage } from "./house.ts";

const MODELS = [
  "linux-2.4.23",
  "linux-2.6.33",
  "linux-3.10",
  "linux-3.18",
  "linux-4.4",
  "linux-4.14",
  "linux-5.4",
  "linux-5.10",
  "linux-6.1",
  "linux-6.12",
  "linux-7.2",
  "linux-7.3-rc",
];
const SERIES = ["ra-flags", "retain-inactive", "thrashing-safe", "patterns", "lseek-flag"];
const series = `/models/linux-2.6.33?${SERIES.map((name) => `patch=${name}`).join("&")}`;

let house: House;

before(async () => {
  house = await open();
});
after(() => house?.close());

/** The windows of reads of this size on the page, as the table lists them. */
function sizes(page: Page, pages: number): Promise<string[]> {
  return page
    .locator("table.windows tr", { has: page.locator(`th .note:text-is("${pages}")`) })
    .locator("td.num")
    .evaluateAll((cells) => cells.map((cell) => (cell.firstChild?.textContent ?? "").trim()));
}

test("the timeline leads to every model and every patch", async () => {
  await withPage(house, {}, async (page) => {
    await page.goto("/");
    await page.getByRole("link", { name: "Models", exact: true }).click();
    await page.waitForURL("**/models");
    const models = await page
      .locator(".overview th a")
      .evaluateAll((links) => links.map((link) => link.textContent ?? ""));
    assert.deepEqual(models, MODELS);
    const { patches } = (await (await fetch(`${house.base}/api/v1/patches`)).json()) as { patches: { name: string }[] };
    assert.equal(patches.length, 23);
    for (const { name } of patches) {
      const link = page.locator(".carried a", { hasText: new RegExp(`^\\+ ${name}$`) });
      assert.equal(await link.count(), 1, name);
      const response = await fetch(house.base + (await link.getAttribute("href")));
      assert.equal(response.status, 200, name);
      const text = await response.text();
      assert.ok(text.includes(`name="patch" value="${name}" checked`), name);
    }
    await accessible(page);
  });
});

test("a model's table is computed for the settings and patches of its form", async () => {
  await withPage(house, {}, async (page) => {
    await page.goto("/models/linux-7.2");
    assert.deepEqual((await sizes(page, 1)).slice(0, 5), ["4", "8", "4", "8", "8"]);
    await page.getByLabel("read_ahead_kb, KiB").fill("512");
    await page.getByLabel("large folios").selectOption("no");
    await page.getByRole("button", { name: "Compute" }).click();
    await page.waitForURL(/read_ahead_kb=512/);
    assert.deepEqual((await sizes(page, 1)).slice(0, 4), ["4", "16", "32", "64"]);

    // The workload of the mail: what is cut below half without the patch is kept with it.
    await page.goto("/models/linux-7.2");
    assert.ok((await page.locator("table.windows .warn").count()) > 0);
    await page.getByLabel("keep-half-window").check();
    await page.getByRole("button", { name: "Compute" }).click();
    await page.waitForURL(/patch=keep-half-window/);
    assert.equal(await page.locator("table.windows .warn").count(), 0);
    assert.match((await page.locator("h1").textContent()) ?? "", /linux-7\.2\s+\+ keep-half-window/);
    await page.locator("table.windows th a", { hasText: "64 KiB" }).click();
    await page.waitForURL(/request=16#walk/);
    assert.match((await page.locator("#walk").textContent()) ?? "", /Reads of 64 KiB/);
    await accessible(page);
  });
});

test("what cannot be combined, or is out of range, is said and the page stays", async () => {
  await withPage(house, {}, async (page) => {
    // The browser itself reports an answer with a status of 4xx.
    page.removeAllListeners("console");
    const answer = await page.goto("/models/linux-2.6.33?patch=patterns&read_ahead_kb=-5");
    assert.equal(answer?.status(), 422);
    const said = await page.locator("[data-problem]").allTextContents();
    assert.match(said[0] ?? "", /`patterns` needs `thrashing-safe`/);
    assert.match(said[1] ?? "", /read_ahead_kb: `-5`; expected a whole number of KiB from 0 to 16384/);
    assert.ok(await page.getByLabel("patterns", { exact: true }).isChecked());
    assert.equal(await page.getByLabel("read_ahead_kb, KiB").inputValue(), "-5");
    await accessible(page);
    assert.equal((await page.goto("/models/linux-7.1"))?.status(), 404);
    assert.match((await page.locator("[data-problem]").textContent()) ?? "", /linux-7\.2/);
  });
});

test("the conformance page runs its files and tells what came of them", async () => {
  await withPage(house, {}, async (page) => {
    await page.goto("/conformance");
    await page.waitForSelector("[data-finished=true]", { timeout: 240_000 });
    const told = (await (await fetch(`${house.base}/api/v1/conformance`)).json()) as {
      cases: number;
      totals: { passed: number; failed: number; known: number; not_run: number };
      reports: { name: string }[];
    };
    const { passed, failed, known, not_run } = told.totals;
    assert.equal(passed + failed + not_run, told.cases);
    assert.equal(failed, known, "a case differs that should not");
    assert.equal(not_run, 0);
    assert.equal(await page.locator("[data-failed]").textContent(), "0");
    for (const { name } of told.reports) assert.equal(await page.locator("th", { hasText: name }).count(), 1, name);
    await fitsWidth(page);
    await accessible(page);
  });
});

for (const [width, scheme] of [
  [1440, "light"],
  [1440, "dark"],
  [390, "light"],
  [390, "dark"],
] as const) {
  test(`models and conformance at ${width} px, ${scheme}`, async () => {
    await withPage(house, { viewport: { width, height: 900 }, colorScheme: scheme }, async (page) => {
      for (const [name, address] of [
        ["models", "/models"],
        ["model-2.4", "/models/linux-2.4.23"],
        ["model-series", series],
        ["model-7.2", "/models/linux-7.2?patch=keep-half-window"],
        ["conformance", "/conformance"],
      ] as const) {
        await page.goto(address);
        await fitsWidth(page);
        await accessible(page);
        await shoot(page, `${name}-${width}-${scheme}`);
      }
    });
  });
}

test("every model fits a phone", async () => {
  await withPage(house, { viewport: { width: 390, height: 844 } }, async (page) => {
    for (const model of MODELS) {
      await page.goto(`/models/${model}`);
      await fitsWidth(page);
      const shown = await page.locator(".tree svg.narrow").evaluateAll((all) =>
        all.map((one) => {
          const texts = [...one.querySelectorAll<SVGTextElement>(".ask text, .leaf text")];
          const right = Math.max(
            ...[...one.querySelectorAll("rect")].map((box) => box.getBBox().x + box.getBBox().width),
          );
          return texts
            .filter((text) => text.getBBox().x + text.getBBox().width > right)
            .map((text) => text.textContent);
        }),
      );
      assert.deepEqual(shown.flat(), [], `${model}: words outside their boxes`);
      assert.ok(shown.length >= 4);
    }
  });
});

test("without JavaScript the timeline, a model and the conformance are whole", async () => {
  await withPage(house, { javaScriptEnabled: false }, async (page) => {
    await page.goto("/models");
    assert.equal(await page.locator(".timeline > li").count(), 27);
    await page.goto("/models/linux-6.12");
    assert.equal(await page.locator("table.windows tbody tr").count(), 18);
    assert.ok((await page.locator(".tree svg.wide").count()) >= 5);
    await page.getByLabel("read_ahead_kb, KiB").fill("64");
    await page.getByRole("button", { name: "Compute" }).click();
    await page.waitForURL(/read_ahead_kb=64/);
    assert.deepEqual((await sizes(page, 1)).slice(0, 4), ["2", "4", "8", "16"]);
    await page.goto("/conformance");
    await page.waitForSelector("[data-finished=true]", { timeout: 240_000 });
    await shoot(page, "conformance-no-javascript");
  });
});
