import assert from "node:assert/strict";
import { test } from "node:test";
import type { LabEvent } from "../../src/lib/events.ts";
import { Page } from "../../src/lib/pages.ts";
import { Player } from "../../src/lib/player.ts";
import { EventStore } from "../../src/lib/store.ts";
import { decision, FIRST_DECISIONS, run } from "../fixtures/run.ts";

function loaded(events: readonly LabEvent[] = FIRST_DECISIONS): Player {
  const store = new EventStore();
  store.append(events);
  return new Player(store);
}

/** Everything of a state that a test compares. */
function picture(player: Player): unknown {
  const pages = player.state.file(0);
  return {
    counters: player.state.counters,
    depth: player.state.depth,
    folioPages: player.state.folioPages,
    pages: Array.from({ length: pages.length }, (_, i) => [pages.stateOf(i), pages.isFolioFirst(i), pages.isMarker(i)]),
  };
}

test("pages go from in flight to read ahead to used", () => {
  const player = loaded();
  player.seek(1_000);
  const pages = () => [0, 1, 2, 3, 4].map((page) => player.state.file(0).stateOf(page));
  assert.deepEqual(pages(), [Page.InFlight, Page.InFlight, Page.InFlight, Page.InFlight, Page.Absent]);
  assert.equal(player.state.depth, 1);
  assert.equal(player.state.file(0).isMarker(1), true);
  player.seek(81_000);
  assert.deepEqual(pages(), [Page.Used, Page.Ready, Page.Ready, Page.Ready, Page.Absent]);
  assert.equal(player.state.counters.wait_ns, 80_000);
  player.seek(90_000);
  assert.deepEqual(pages(), [Page.Used, Page.Used, Page.Used, Page.Used, Page.InFlight]);
  assert.equal(player.state.file(0).isMarker(1), false);
});

test("counters are those of the events so far", () => {
  const player = loaded();
  player.seek(1e9);
  const { counters, folioPages } = player.state;
  assert.equal(counters.device_reads, 2);
  assert.equal(counters.device_read_bytes, (32 + 128) * 512);
  assert.equal(counters.windows, 3);
  assert.equal(counters.below_half, 1);
  assert.equal(counters.pages_added, 4 + 16);
  assert.equal(counters.pages_used, 4);
  assert.equal(counters.evicted_unused, 4);
  assert.deepEqual([folioPages[0], folioPages[2]], [4, 16]);
});

test("a folio evicted before use is remembered as such", () => {
  const player = loaded();
  player.seek(1e9);
  const pages = player.state.file(0);
  assert.equal(pages.stateOf(8), Page.EvictedUnused);
  assert.equal(pages.isFolioFirst(8), false);
  assert.equal(pages.isFolioFirst(12), true);
});

test("seeking back gives the state that going forward gave", () => {
  const groups: Array<[number, Parameters<typeof run>[0][number][1]]> = [];
  for (let i = 0; i < 3000; i += 1) {
    groups.push([
      i * 10,
      [
        { event: "folio_added", file: 0, first: i * 2, order: 1, marked: i % 7 === 0 },
        { event: "issued", request: i, file: 0, offset: i * 8192, sector: i * 16, sectors: 16, ahead: true, depth: 1 },
        {
          event: "completed",
          request: i,
          file: 0,
          offset: i * 8192,
          sector: i * 16,
          sectors: 16,
          ahead: true,
          depth: 0,
        },
        { event: "used", file: 0, first: i * 2, pages: 1 },
      ],
    ]);
  }
  const events = run(groups);
  const player = loaded(events);
  player.seek(1e9);
  const end = picture(player);
  for (const index of [11_999, 4_097, 4_096, 2_048, 1, 0, 7_777]) {
    player.seekIndex(index);
    const fresh = loaded(events);
    fresh.seekIndex(index);
    assert.deepEqual(picture(player), picture(fresh), `after ${index} events`);
  }
  player.seek(1e9);
  assert.deepEqual(picture(player), end);
});

test("a step lands on each decision, also when two share their moment", () => {
  const window = { start: 4, size: 4, async_size: 4, order: 0 };
  const before = { start: 0, size: 4, async_size: 3, ra_pages: 32, order: 0, mmap_miss: 0, prev_pos: 0 };
  const player = loaded(
    run([
      [
        5,
        [
          { event: "decided", decision: decision(0, 0, before, window) },
          { event: "decided", decision: decision(1, 4, before, window) },
        ],
      ],
    ]),
  );
  assert.equal(player.decisionIndex, -1);
  player.seekIndex((player.store.decisions[0]?.index ?? 0) + 1);
  assert.equal(player.decisionIndex, 0);
  player.seekIndex((player.store.decisions[1]?.index ?? 0) + 1);
  assert.equal(player.decisionIndex, 1);
});
