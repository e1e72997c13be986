import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accessible, drawn, fitsWidth, type House, open, shoot, withPage } from "./house.ts";

let house: House;
/** Address of the compare that the first test started. */
let compare = "";

before(async () => {
  house = await open();
});
after(() => house?.close());

const number = (text: string | null): number => Number((text ?? "").replaceAll(",", ""));

test("from the gallery to the answer: both sides, both curves, the reason, the mail", async () => {
  await withPage(house, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto("/");
    await accessible(page);
    await page.getByRole("button", { name: "Compare with the patch" }).click();
    await page.waitForURL(/\/compare\/[0-9a-f]{20}$/);
    compare = new URL(page.url()).pathname;

    // The answer: what the scenario's source measured, within its tolerance.
    await page.waitForFunction(() => document.querySelector("[data-answer=pending]") === null);
    const a = number(await page.locator("[data-reads=a]").textContent());
    const b = number(await page.locator("[data-reads=b]").textContent());
    assert.ok(Math.abs(a - 3328) <= 2, `A: ${a}`);
    assert.ok(Math.abs(b - 1031) <= 2, `B: ${b}`);
    assert.match((await page.locator("#divergence").textContent()) ?? "", /window at page 48/);
    assert.match(
      (await page.locator("#differences").textContent()) ?? "",
      /device reads \(file data\)\s*3,3\d\d\s*1,03\d/,
    );

    // Both curves move by themselves.
    await page.waitForFunction(() => document.querySelector("ra-transport .play")?.textContent === "Pause");
    const first = { a: await drawn(page, "ra-window-chart[side=a]"), b: await drawn(page, "ra-window-chart[side=b]") };
    await page.waitForTimeout(700);
    assert.notEqual(await drawn(page, "ra-window-chart[side=a]"), first.a);
    assert.notEqual(await drawn(page, "ra-window-chart[side=b]"), first.b);

    // Pause holds them; a step moves on by one decision and says why.
    await page.getByRole("button", { name: "Pause" }).click();
    const time = page.locator("ra-transport output");
    const held = await time.textContent();
    await page.waitForTimeout(300);
    assert.equal(await time.textContent(), held);
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Next decision" }).click();
    await page.getByRole("button", { name: "Next decision" }).click();
    assert.notEqual(await time.textContent(), held);
    assert.match((await page.locator("ra-why[side=a] .sentence").textContent()) ?? "", /page \d+/i);

    // The mail text is what the service gives, in 72 columns.
    await page.getByRole("button", { name: "Copy as mail text" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied, await (await fetch(`${house.base}/api/v1${compare}/lkml.txt`)).text());
    for (const line of copied.split("\n")) assert.ok([...line].length <= 72, line);
    await accessible(page);
  });
});

test("the keyboard plays, steps and goes to the ends", async () => {
  await withPage(house, { reducedMotion: "reduce" }, async (page) => {
    await page.goto(compare);
    const sentence = page.locator("ra-why[side=a] .sentence");
    const says = (words: RegExp): Promise<unknown> =>
      page.waitForFunction(
        (source) => new RegExp(source).test(document.querySelector("ra-why[side=a] .sentence")?.textContent ?? ""),
        words.source,
      );
    // Whoever wants no motion starts held, at the beginning.
    await page.locator("ra-stage[aria-busy=false]").waitFor();
    await says(/No decision yet/);
    assert.equal(await page.locator("ra-transport .play").textContent(), "Play");
    await page.keyboard.press("ArrowRight");
    await says(/^Page 0 is missing|first page/i);
    const first = await sentence.textContent();
    await page.keyboard.press("End");
    await page.waitForFunction(() => document.querySelector("ra-transport .play")?.textContent === "Replay");
    const last = await sentence.textContent();
    assert.notEqual(last, first);
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(
      (before) => document.querySelector("ra-why[side=a] .sentence")?.textContent !== before,
      last,
    );
    await page.keyboard.press("Home");
    await page.keyboard.press("Space");
    await page.waitForFunction(() => document.querySelector("ra-transport .play")?.textContent === "Pause");
  });
});

test("a link to a decision opens there", async () => {
  await withPage(house, {}, async (page) => {
    await page.goto(compare);
    await page.locator("#divergence a[data-decision]").first().click();
    await page.waitForFunction(() => document.querySelector("ra-transport .play")?.textContent === "Play");
    const there = await page.locator("ra-why[side=a] .sentence").textContent();
    const first = await page.locator("#divergence .reason").first().textContent();
    assert.ok(first?.endsWith(there ?? "?"), `${first} / ${there}`);
    const address = page.url();
    await page.goto("/learn");
    await page.goto(address);
    await page.waitForFunction(
      (wanted) => document.querySelector("ra-why[side=a] .sentence")?.textContent === wanted,
      there,
    );
  });
});

for (const [width, scheme] of [
  [1440, "light"],
  [1440, "dark"],
  [390, "light"],
  [390, "dark"],
] as const) {
  test(`the compare page at ${width} px, ${scheme}`, async () => {
    await withPage(house, { viewport: { width, height: 900 }, colorScheme: scheme }, async (page) => {
      await page.goto(compare);
      await page.waitForFunction(() => document.querySelector("ra-transport .play")?.textContent === "Pause");
      await page.waitForTimeout(2500);
      await page.getByRole("button", { name: "Pause" }).click();
      await page.waitForTimeout(200);
      await fitsWidth(page);
      await accessible(page);
      await shoot(page, `compare-${width}-${scheme}`);
    });
  });
}

test("without JavaScript the answer, the tables and the figures are there", async () => {
  await withPage(house, { javaScriptEnabled: false }, async (page) => {
    await page.goto(compare);
    assert.match((await page.locator("#differences").textContent()) ?? "", /device reads/);
    const figures = page.locator(".figure .light img");
    assert.ok((await figures.count()) >= 3);
    for (const source of await figures.evaluateAll((images) =>
      images.map((image) => image.getAttribute("src") ?? ""),
    )) {
      const response = await fetch(house.base + source);
      assert.equal(response.status, 200, source);
      assert.match(await response.text(), /<svg/);
    }
    await shoot(page, "compare-no-javascript");
  });
});
