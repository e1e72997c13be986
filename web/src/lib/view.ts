// Which part of a run the charts show: near the cursor or all of it, over time or over the file. Pages along rather
// than sliding, so that the eye can rest. Knows nothing of the charts.

import type { EventStore } from "./store.ts";
import { type Axis, offsetOf } from "./windows.ts";

/** Near the cursor, or everything. */
export type Extent = "near" | "all";

/** A part of an axis. */
export interface Span {
  from: number;
  to: number;
}

const DECISIONS_NEAR = 48;
const PAGE_BYTES = 4096;
const OFFSET_SPAN_MIN = 1 << 20;

/** The next 1, 2 or 5 times a power of ten. */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  for (const step of [1, 2, 5, 10]) {
    if (step * power >= value) return step * power;
  }
  return 10 * power;
}

/** Time that shows about 48 decisions of the busiest side. */
export function nearTime(stores: readonly EventStore[]): number {
  let span = Number.POSITIVE_INFINITY;
  for (const store of stores) {
    const gap = store.endAt / Math.max(1, store.decisions.length);
    if (gap > 0) span = Math.min(span, gap * DECISIONS_NEAR);
  }
  return Number.isFinite(span) ? roundUp(span) : 1e6;
}

/** Bytes of file that show about 64 windows of the side with the smallest ones: a power of two, at least 1 MiB. */
export function nearOffset(stores: readonly EventStore[]): number {
  let wanted = Number.POSITIVE_INFINITY;
  for (const store of stores) {
    let pages = 0;
    let windows = 0;
    for (const { decision } of store.decisions) {
      if (decision.window === null) continue;
      pages += decision.window.size;
      windows += 1;
    }
    if (windows > 0) wanted = Math.min(wanted, (pages / windows) * 64 * PAGE_BYTES);
  }
  if (!Number.isFinite(wanted)) return 8 * OFFSET_SPAN_MIN;
  let span = OFFSET_SPAN_MIN;
  while (span < wanted) span *= 2;
  return span;
}

/** Whether most windows lie far from the one before: then a view that follows the reader over the file would jump about. */
export function jumpsAbout(store: EventStore): boolean {
  let far = 0;
  const seen = Math.min(store.decisions.length, 400);
  for (let place = 1; place < seen; place += 1) {
    const before = store.decisions[place - 1];
    const now = store.decisions[place];
    if (before === undefined || now === undefined) break;
    const elsewhere = before.decision.file !== now.decision.file;
    if (elsewhere || Math.abs(offsetOf(now) - offsetOf(before)) > 4 * OFFSET_SPAN_MIN) far += 1;
  }
  return far * 3 > seen;
}

/** A view of one axis that turns the page when the cursor leaves it. */
export class Paged {
  private from = 0;

  /** The part to show, `length` long, with `at` inside it. */
  span(at: number, length: number): Span {
    if (at < this.from || at > this.from + 0.94 * length) {
      const step = length / 4;
      this.from = Math.max(0, Math.floor(at / step) * step - (at < length ? 0 : step));
      if (at < length * 0.94) this.from = 0;
    }
    return { from: this.from, to: this.from + length };
  }
}

/** The part moved back so that it ends at `end` at the latest, and cut when there is not as much. */
export function within(span: Span, end: number): Span {
  if (span.to <= end) return span;
  return { from: Math.max(0, end - (span.to - span.from)), to: Math.max(end, 1) };
}

/** The last byte that any window reaches. */
export function fileEnd(store: EventStore, file: number): number {
  let end = OFFSET_SPAN_MIN;
  for (const point of store.decisions) {
    if (point.decision.file !== file) continue;
    end = Math.max(end, offsetOf(point) + (point.decision.window?.size ?? 0) * PAGE_BYTES);
  }
  return end;
}

/** Both axes of the page. */
export class View {
  extent: Extent = "near";
  readonly time = new Paged();
  readonly offset = new Paged();

  constructor(public axis: Axis) {}
}
