import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, paceFor, paceWords } from "../../src/lib/clock.ts";
import * as format from "../../src/lib/format.ts";
import { KINDS, pagesOf, stampOf, textOf } from "../../src/lib/lines.ts";
import { tail } from "../../src/lib/log.ts";
import { EventStore } from "../../src/lib/store.ts";
import { FIRST_DECISIONS } from "../fixtures/run.ts";

test("numbers keep sensible digits and their unit", () => {
  assert.equal(format.count(131072), "131,072");
  assert.equal(format.bytes(4096), "4 KiB");
  assert.equal(format.bytes(158 * 1024 + 300), "158 KiB");
  assert.equal(format.bytes(3.5 * 1024 * 1024), "3.50 MiB");
  assert.equal(format.time(950), "950 ns");
  assert.equal(format.time(80_000), "80.0 µs");
  assert.equal(format.time(3_482_000), "3.48 ms");
  assert.equal(format.time(2_500_000_000), "2.50 s");
  assert.equal(format.change(415, 134), "−68 %");
  assert.equal(format.change(5, 5), "same");
  assert.equal(format.folioSize(9), "2 MiB");
});

test("lines read as tracepoints do", () => {
  const lines = FIRST_DECISIONS.map((event) => `${stampOf(event)}: ${textOf(event)}`);
  assert.equal(lines[2], "0.000001: readahead: sync file=0 index=0 req_count=1 -> index=0 order=0 size=4 async_size=3");
  assert.equal(lines[6], "0.000001: block_rq_issue: RA 16384 () 2048 + 32 depth=1");
});

test("an event names its pages", () => {
  const pages = FIRST_DECISIONS.map(pagesOf);
  assert.deepEqual(pages[6], { file: 0, first: 0, pages: 4 });
  assert.equal(pages[1], undefined);
});

test("the log shows the chosen kinds and the typed words, newest last", () => {
  const store = new EventStore();
  store.append(FIRST_DECISIONS);
  const end = store.events.length;
  const decisions = tail(store, end, { kinds: new Set(["decision"] as const), words: "" }, 2);
  assert.deepEqual(
    decisions.map(({ event }) => (event.event === "decided" ? event.decision.id : -1)),
    [1, 2],
  );
  const found = tail(store, end, { kinds: new Set(KINDS), words: "new STREAM" }, 10);
  assert.equal(found.length, 1);
});

test("the clock stops at the end of a run that has ended, and waits at the edge of one that has not", () => {
  const clock = new Clock();
  clock.pace = 1e-3;
  clock.playing = true;
  clock.tick(100, 1_000_000, false);
  assert.equal(clock.at, 100_000);
  clock.tick(10_000, 1_000_000, false);
  assert.deepEqual([clock.at, clock.playing], [1_000_000, true]);
  clock.tick(16, 1_000_000, true);
  assert.equal(clock.playing, false);
});

test("the pace offered shows a readable number of decisions a second", () => {
  assert.equal(paceFor(5000, 250_000_000), 1e-3);
  assert.equal(paceWords(1e-3), "1/1,000");
  assert.equal(paceWords(10), "10×");
});
