import assert from "node:assert/strict";
import { test } from "node:test";
import { isWindow, type RaState } from "../../src/lib/events.ts";
import { hasMarker, kernelOf, partInWords, stateRows } from "../../src/lib/kernel.ts";
import { family, familyOf } from "../../src/lib/reasons.ts";
import { RunState } from "../../src/lib/state.ts";
import { decision, run } from "../fixtures/run.ts";

const FRESH: RaState = { start: 0, size: 0, async_size: 0, ra_pages: 32, order: 0, mmap_miss: 0, prev_pos: -1 };
const names = (kernel: string): string[] => stateRows(kernelOf(kernel)).map((row) => row.name);
const values = (kernel: string, state: RaState): Record<string, number | string> =>
  Object.fromEntries(stateRows(kernelOf(kernel)).map((row) => [row.name, row.value(state)]));

test("each generation shows the state that its open files have", () => {
  assert.deepEqual(names("linux-2.4.23"), ["raend", "ralen", "ramax", "rawin", "reada"]);
  const plain = ["start", "size", "async_size", "ra_pages", "mmap_miss", "prev_pos"];
  assert.deepEqual(names("linux-2.6.33"), plain);
  assert.deepEqual(names("linux-6.12"), plain);
  assert.deepEqual(names("linux-7.2+keep-half-window"), [...plain.slice(0, 3), "order", ...plain.slice(3)]);
  assert.ok(names("linux-7.3-rc").includes("order"));
});

test("linux-2.4's state is nothing read while it is absent", () => {
  const old = { raend: 12, ralen: 8, ramax: 16, rawin: 12, reada: true };
  assert.deepEqual(values("linux-2.4.23", { ...FRESH, old }), { ...old, reada: "yes" });
  assert.deepEqual(values("linux-2.4.23", FRESH), { raend: 0, ralen: 0, ramax: 0, rawin: 0, reada: "no" });
});

test("the 2010 series shows its pattern and its flags, each with the patch that brings it", () => {
  const base = "linux-2.6.33+ra-flags+retain-inactive+thrashing-safe";
  assert.ok(names(base).includes("THRASHED") && !names(base).includes("pattern"));
  const all = values(`${base}+patterns+lseek-flag`, { ...FRESH, thrashed: true, pattern: "context" });
  assert.deepEqual([all.pattern, all.THRASHED, all.MMAP, all.LSEEK], ["context", "set", "—", "—"]);
  assert.equal(values(`${base}+patterns`, FRESH).pattern, "initial");
});

test("a window of linux-2.4 is a step without a marker, and is counted", () => {
  const window = { start: 4, size: 4, async_size: 4, order: 0 };
  const step = decision(0, 3, FRESH, window, { via: "legacy", reason: { code: "old_async" } });
  assert.ok(isWindow(step));
  assert.ok(!hasMarker(kernelOf("linux-2.4.23")) && hasMarker(kernelOf("linux-2.6.33")));
  assert.equal(partInWords(kernelOf("linux-2.4.23"), window), "");
  assert.equal(partInWords(kernelOf("linux-5.4"), window), ", 4 behind the marker");
  assert.equal(partInWords(kernelOf("linux-7.2"), window), ", 4 behind the marker, order 0");
  assert.equal(family(familyOf(step)).name, "asynchronous step");
  assert.equal(family(familyOf({ reason: { code: "old_sync" }, window })).name, "synchronous step");
  const state = new RunState();
  for (const event of run([[0, [{ event: "decided", decision: step }]]])) state.apply(event);
  assert.deepEqual([state.counters.decisions, state.counters.windows], [1, 1]);
});
