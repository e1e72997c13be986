import assert from "node:assert/strict";
import { test } from "node:test";
import { nextStep, type Standing, type Step, stepBefore } from "../../src/lib/steps.ts";
import { within } from "../../src/lib/view.ts";

/** The sides after a step, as the stage moves them: the side itself to the place, the other to the moment. */
function moved(sides: readonly Standing[], step: Step): Standing[] {
  const at = sides[step.side]?.decisions[step.place]?.at ?? 0;
  return sides.map((side, letter) => ({
    decisions: side.decisions,
    place: letter === step.side ? step.place : side.decisions.filter((one) => one.at <= at).length - 1,
  }));
}

test("a step back is the inverse of a step forward, over both sides", () => {
  const times = (...at: number[]): Standing => ({ decisions: at.map((one) => ({ at: one })), place: -1 });
  let sides = [times(100, 206, 270, 400, 400), times(100, 206, 311, 400)];
  const seen: Step[] = [];
  for (let step = nextStep(sides); step !== undefined; step = nextStep(sides)) {
    seen.push(step);
    sides = moved(sides, step);
  }
  const at = ({ side, place }: Step): number => sides[side]?.decisions[place]?.at ?? -1;
  assert.deepEqual(seen.map(at), [100, 206, 270, 311, 400, 400]);
  const back: number[] = [];
  for (let step = stepBefore(sides); step !== undefined; step = stepBefore(sides)) {
    back.push(at(step));
    sides = moved(sides, step);
  }
  assert.deepEqual(back, [400, 311, 270, 206, 100]);
});

test("a view ends where there is nothing more", () => {
  assert.deepEqual(within({ from: 6, to: 10 }, 8), { from: 4, to: 8 });
  assert.deepEqual(within({ from: 0, to: 10 }, 8), { from: 0, to: 8 });
  assert.deepEqual(within({ from: 2, to: 6 }, 8), { from: 2, to: 6 });
});
