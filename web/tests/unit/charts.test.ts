import assert from "node:assert/strict";
import { test } from "node:test";
import { DeviceSeries } from "../../src/lib/device.ts";
import { familyOf } from "../../src/lib/reasons.ts";
import { EventStore } from "../../src/lib/store.ts";
import { barsIn, familiesOf, largestWindow } from "../../src/lib/windows.ts";
import { FIRST_DECISIONS } from "../fixtures/run.ts";

function store(): EventStore {
  const filled = new EventStore();
  filled.append(FIRST_DECISIONS);
  return filled;
}

test("over the file, a bar is as wide as its window", () => {
  const bars = barsIn(store(), "offset", 0, 1e9, 3, 1e9);
  assert.deepEqual(
    bars.map((bar) => [bar.x0 / 4096, bar.x1 / 4096, bar.size, bar.belowHalf]),
    [
      [0, 4, 4, false],
      [4, 20, 16, false],
      [48, 64, 16, true],
    ],
  );
  assert.deepEqual(familiesOf(bars), ["start", "marker"]);
});

test("over time, a bar lasts until the next decision or until now", () => {
  const bars = barsIn(store(), "time", 0, 1e9, 2, 92_000);
  assert.deepEqual(
    bars.map((bar) => [bar.x0, bar.x1]),
    [
      [1_000, 90_000],
      [90_000, 92_000],
    ],
  );
});

test("the view leaves out what it does not touch", () => {
  assert.deepEqual(
    barsIn(store(), "time", 91_000, 94_000, 3, 99_000).map((bar) => bar.place),
    [1],
  );
  assert.deepEqual(
    barsIn(store(), "offset", 21 * 4096, 47 * 4096, 3, 99_000).map((bar) => bar.place),
    [],
  );
  assert.deepEqual(barsIn(store(), "time", 0, 1e9, 3, 1e9, 7), []);
  assert.equal(largestWindow(store()), 16);
});

test("queue depth keeps its peak however few the pixels", () => {
  const series = new DeviceSeries(store());
  series.update();
  const { x, y } = series.depthColumns(0, 100_000, 2);
  assert.equal(Math.max(...y), 1);
  assert.equal(y[0], 0);
  assert.equal(x.at(-1), 100_000);
  assert.equal(y.at(-1), 1);
});

test("a request's bytes are spread over the time that the device had for it", () => {
  const series = new DeviceSeries(store());
  series.update();
  // 16 KiB, issued at 1 µs, complete at 81 µs: the bins hold 49 and 31 of its 80 µs.
  const { y } = series.throughputColumns(0, 100_000, 2);
  const rate = (32 * 512 * 1e9) / 80_000;
  assert.ok(Math.abs((y[0] ?? 0) - (rate * 49) / 50) < 1);
  assert.ok(Math.abs((y[1] ?? 0) - (rate * 31) / 50) < 1);
});

test("every code has a family, and an unknown one goes by what it reads", () => {
  assert.equal(familyOf({ reason: { code: "sync_history_from_start" }, window: null }), "history");
  assert.equal(familyOf({ reason: { code: "of_tomorrow" }, window: null }), "nothing");
});
