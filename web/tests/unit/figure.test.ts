import assert from "node:assert/strict";
import { test } from "node:test";
import { barsOf } from "../../src/lib/figure.ts";

test("the bars of a figure keep their meaning", () => {
  const figure = {
    x: { min: 0, max: 100 },
    panels: [
      {
        y: { max: 128 },
        series: [
          { shape: "bars", role: "ahead", x: [0, 10], x_end: [10, 20], y: [4, 16] },
          { shape: "bars", role: "warning", x: [20], x_end: [30], y: [2] },
          { shape: "points", role: "expected", x: [40], y: [64] },
          { shape: "steps", role: "ink", x: [1], y: [1] },
        ],
      },
    ],
  };
  assert.deepEqual(barsOf(figure), {
    from: 0,
    to: 100,
    top: 128,
    bars: [
      { x0: 0, x1: 10, y: 4, tone: "pale" },
      { x0: 10, x1: 20, y: 16, tone: "pale" },
      { x0: 20, x1: 30, y: 2, tone: "warning" },
      { x0: 40, x1: 40, y: 64, tone: "full" },
    ],
  });
});

test("what is no figure gives no bars", () => {
  for (const value of [null, 7, {}, { x: { min: 0, max: 1 }, panels: [] }]) assert.equal(barsOf(value), undefined);
});
