// What is another kernel's own: its state, its steps, its patches, on the pages of its runs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { accessible, fitsWidth, type House, open, shoot, withPage } from "./house.ts";

let house: House;
const pages = { old: "", series: "", both: "" };

async function made(path: "runs" | "compare", body: object): Promise<string> {
  const response = await fetch(`${house.base}/api/v1/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, `${path}: ${response.status}`);
  const { id } = (await response.json()) as { id: string };
  return `/${path}/${id}`;
}

before(async () => {
  house = await open();
  pages.old = await made("runs", { scenario: "old-2-4-stream" });
  pages.series = await made("runs", { scenario: "series-2010-cp-test-file" });
  pages.both = await made("compare", {
    scenario: "first-sequential-read",
    a: "kernel.model=linux-2.6.33",
    b: "kernel.model=linux-7.2",
  });
});
after(() => house?.close());

/** Waits for the answers and goes to the end of the run, where the play stops. */
async function ended(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector("[data-answer=pending]") === null);
  await page.waitForFunction(() => document.querySelector("ra-why .sentence:not(:empty)") !== null);
  await page.getByLabel("moment of the run").press("End");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

async function rows(page: Page): Promise<Record<string, string>> {
  const found = await page.locator("ra-why tbody tr").evaluateAll((list) =>
    list.map((row): [string, string] => {
      const [name, , after] = [...row.children].map((cell) => cell.firstChild?.textContent?.trim() ?? "");
      return [name ?? "", after ?? ""];
    }),
  );
  return Object.fromEntries(found);
}

async function text(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).first().textContent()) ?? "";
}

test("a run of linux-2.4 shows steps, its own state, and counts its windows", async () => {
  await withPage(house, {}, async (page) => {
    await page.goto(pages.old);
    await ended(page);
    assert.match(await text(page, "#answer"), /✓ Pages read: expected 245, computed 245\./);
    assert.doesNotMatch(await text(page, "#answer"), /measured/i);
    const state = await rows(page);
    assert.deepEqual(Object.keys(state), ["raend", "ralen", "ramax", "rawin", "reada"]);
    assert.ok(Number(state.raend) > 0 && state.reada === "yes", JSON.stringify(state));
    const counted = await text(page, "ra-counters");
    assert.match(counted, /decisions1[0-9]/);
    assert.doesNotMatch(counted, /windows0/);
    const key = await text(page, "ra-window-chart .key");
    assert.match(key, /asynchronous step.*synchronous step/);
    for (const part of ["ra-window-chart", "ra-page-map", "ra-why"]) {
      assert.doesNotMatch(await text(page, part), /marker/, part);
    }
    await accessible(page);
  });
});

test("a run of the 2010 series shows pattern and flags, and no folio order", async () => {
  await withPage(house, {}, async (page) => {
    await page.goto(pages.series);
    await ended(page);
    const state = await rows(page);
    const plain = ["start", "size", "async_size", "ra_pages", "mmap_miss", "prev_pos"];
    assert.deepEqual(Object.keys(state), [...plain, "pattern", "THRASHED", "MMAP"]);
    assert.equal(state.pattern, "subsequent");
    assert.match(await text(page, "ra-why .note"), /pattern subsequent/);
    await accessible(page);
  });
});

test("the forms offer the patches of the chosen kernel, and switch on what a patch needs", async () => {
  await withPage(house, {}, async (page) => {
    await page.goto(pages.old);
    const boxes = (): Promise<string[]> =>
      page.locator("ra-patches input").evaluateAll((list) => list.map((box) => (box as HTMLInputElement).value));
    await page.getByText("Settings: change one").click();
    assert.deepEqual(await boxes(), ["last-page"]);
    assert.deepEqual(await page.locator("#against button").allTextContents(), ["Compare with last-page"]);
    await page.getByLabel("last-page").check();
    await page.waitForURL((url) => url.pathname !== pages.old);
    // Another kernel does not have the patch: the run goes on without it.
    const before = new URL(page.url()).pathname;
    await page.getByText("Settings: change one").click();
    await page.locator('select[name="kernel.model"]').selectOption("linux-2.6.33");
    await page.waitForURL((url) => url.pathname !== before);
    assert.match(await text(page, "ul.chips"), /linux-2\.6\.33/);
    const offered = await boxes();
    assert.ok(offered.length === 18 && !offered.includes("keep-half-window"));
    assert.equal(await page.locator("#against .row").first().locator("button").count(), 6);
    const plain = new URL(page.url()).pathname;
    await page.getByText("Settings: change one").click();
    await page.getByLabel("patterns").check();
    await page.waitForURL((url) => url.pathname !== plain);
    assert.match(await text(page, "ul.chips"), /thrashing-safe.*patterns/s);
  });
});

for (const [width, scheme] of [
  [1440, "light"],
  [1440, "dark"],
  [390, "light"],
  [390, "dark"],
] as const) {
  test(`old kernels at ${width} px, ${scheme}`, async () => {
    await withPage(house, { viewport: { width, height: 900 }, colorScheme: scheme }, async (page) => {
      for (const [name, address] of Object.entries(pages)) {
        await page.goto(address);
        await ended(page);
        await fitsWidth(page);
        await accessible(page);
        await shoot(page, `kernels-${name}-${width}-${scheme}`);
      }
    });
  });
}
