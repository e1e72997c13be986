import assert from "node:assert/strict";
import { test } from "node:test";
import { parseBatch } from "../../src/lib/events.ts";
import { EventStore } from "../../src/lib/store.ts";
import { FIRST_DECISIONS } from "../fixtures/run.ts";

test("a resumed stream that repeats events adds nothing twice", () => {
  const store = new EventStore();
  store.append(FIRST_DECISIONS.slice(0, 8));
  store.append(FIRST_DECISIONS.slice(3));
  assert.deepEqual(store.events, FIRST_DECISIONS);
  assert.equal(store.decisions.length, 3);
});

test("coalesced folios count as the events they stand for", () => {
  const store = new EventStore();
  const upTo = FIRST_DECISIONS.findIndex((event) => event.event === "folio_added" && event.count === 2);
  store.append(FIRST_DECISIONS.slice(0, upTo + 1));
  assert.equal(store.resumeFrom, (FIRST_DECISIONS[upTo]?.seq ?? 0) + 2);
  assert.equal(store.resumeFrom, FIRST_DECISIONS[upTo + 1]?.seq);
});

test("a full store counts what it does not hold", () => {
  const store = new EventStore(5);
  store.append(FIRST_DECISIONS);
  assert.equal(store.events.length, 5);
  assert.equal(store.dropped, FIRST_DECISIONS.length - 5);
  assert.equal(store.full, true);
});

test("skipped events are counted and not waited for", () => {
  const store = new EventStore();
  store.skip(0, 5);
  store.append(FIRST_DECISIONS);
  assert.equal(store.skipped, 5);
  assert.equal(store.events[0]?.seq, 5);
});

test("what a message holds beyond known events is counted", () => {
  const good = { seq: 1, at_ns: 2, task: 0, event: "used", file: 0, first: 1, pages: 2 };
  const text = JSON.stringify({ first: 1, events: [good, { ...good, pages: "two" }, { ...good, event: "novel" }, 7] });
  assert.deepEqual(parseBatch(text), { events: [good], unknown: 3 });
  assert.deepEqual(parseBatch("[]"), { events: [], unknown: 0 });
});

test("counts by time and by place", () => {
  const store = new EventStore();
  store.append(FIRST_DECISIONS);
  assert.equal(store.countUntil(-1), 0);
  assert.equal(store.countUntil(999), 1);
  assert.equal(store.countUntil(1_000), 8);
  assert.equal(store.decisionsBefore(2), 0);
  assert.equal(store.decisionsBefore(3), 1);
});
