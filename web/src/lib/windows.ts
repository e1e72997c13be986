// The windows of a run as bars: over time or over the file, one bar a decision that reads something.
// Knows nothing of the chart that draws them.

import { type FamilyName, familyOf } from "./reasons.ts";
import { type DecisionPoint, type EventStore, upperBound } from "./store.ts";

/** What a bar stands on. */
export type Axis = "time" | "offset";

/** One bar: from `x0` to `x1` on the axis, `size` pages high. */
export interface Bar {
  x0: number;
  x1: number;
  size: number;
  async_size: number;
  belowHalf: boolean;
  family: FamilyName;
  /** Place among the store's decisions. */
  place: number;
}

const PAGE_BYTES = 4096;

/** First byte of the window, or of the page that triggered the decision when nothing is read. */
export function offsetOf(point: DecisionPoint): number {
  return (point.decision.window?.start ?? point.decision.index) * PAGE_BYTES;
}

function bar(store: EventStore, place: number, axis: Axis, upTo_ns: number): Bar | undefined {
  const point = store.decisions[place];
  if (point === undefined) return undefined;
  const { window } = point.decision;
  const size = window?.size ?? 0;
  const x0 = axis === "time" ? point.at : offsetOf(point);
  const next = store.decisions[place + 1]?.at ?? upTo_ns;
  const x1 = axis === "time" ? Math.max(point.at, Math.min(next, upTo_ns)) : x0 + size * PAGE_BYTES;
  return {
    x0,
    x1,
    size,
    async_size: window?.async_size ?? 0,
    belowHalf: point.decision.below_half,
    family: familyOf(point.decision),
    place,
  };
}

/**
 * The bars that touch the view `from` … `to` and belong to the first `until` decisions. `file` leaves out the windows of
 * other files; over time all files are shown when it is undefined.
 */
export function barsIn(
  store: EventStore,
  axis: Axis,
  from: number,
  to: number,
  until: number,
  upTo_ns: number,
  file?: number,
): Bar[] {
  const bars: Bar[] = [];
  const first = axis === "time" ? Math.max(0, upperBound(until, (i) => (store.decisions[i]?.at ?? 0) <= from) - 1) : 0;
  for (let place = first; place < until; place += 1) {
    const point = store.decisions[place];
    if (point === undefined) break;
    if (axis === "time" && point.at > to) break;
    if (file !== undefined && point.decision.file !== file) continue;
    const next = bar(store, place, axis, upTo_ns);
    if (next !== undefined && next.x0 <= to && next.x1 >= from) bars.push(next);
  }
  return bars;
}

/** The largest window among all decisions, for an axis that does not jump; at least `least`. */
export function largestWindow(store: EventStore, least = 8): number {
  let largest = least;
  for (const point of store.decisions) largest = Math.max(largest, point.decision.window?.size ?? 0);
  return largest;
}

/** The families that occur, in the order of their first decision. */
export function familiesOf(bars: readonly Bar[]): FamilyName[] {
  return [...new Set(bars.map((one) => one.family))];
}
