// What the device did over time: requests in it, and bytes delivered a second, as columns for a chart of some pixels.
// Reads the store as it grows. Knows nothing of the chart.

import { type EventStore, upperBound } from "./store.ts";

const SECTOR_BYTES = 512;

/** Columns of one chart: x in nanoseconds. */
export interface Columns {
  x: number[];
  y: number[];
}

/** Grows with the store. */
export class DeviceSeries {
  private depthAt: number[] = [];
  private depth: number[] = [];
  /**
   * Deliveries, one after the other: from when the device could be busy with a request (it was issued, and the one before
   * was complete) to its completion, with the bytes delivered up to then. So a rate never comes out of the width of a bin.
   */
  private from: number[] = [];
  private until: number[] = [];
  private delivered: number[] = [];
  private issuedAt = new Map<number, number>();
  private read = 0;

  constructor(private readonly store: EventStore) {}

  /** Takes in what the store has received since the last time. */
  update(): void {
    const { events } = this.store;
    for (; this.read < events.length; this.read += 1) {
      const event = events[this.read];
      if (event?.event !== "issued" && event?.event !== "completed") continue;
      this.depthAt.push(event.at_ns);
      this.depth.push(event.depth);
      if (event.event === "issued") {
        this.issuedAt.set(event.request, event.at_ns);
      } else {
        const issued = this.issuedAt.get(event.request) ?? event.at_ns;
        this.issuedAt.delete(event.request);
        this.from.push(Math.max(issued, this.until.at(-1) ?? 0));
        this.until.push(event.at_ns);
        this.delivered.push((this.delivered.at(-1) ?? 0) + event.sectors * SECTOR_BYTES);
      }
    }
  }

  /** Requests in the device: for each of `px` pixels the lowest and the highest value, as a step line. */
  depthColumns(from: number, to: number, px: number): Columns {
    const x: number[] = [];
    const y: number[] = [];
    const first = upperBound(this.depthAt.length, (i) => (this.depthAt[i] ?? 0) < from);
    const last = upperBound(this.depthAt.length, (i) => (this.depthAt[i] ?? 0) <= to);
    const before = first > 0 ? (this.depth[first - 1] ?? 0) : 0;
    x.push(from);
    y.push(before);
    const width = Math.max(1, (to - from) / Math.max(1, px));
    let at = first;
    let level = before;
    while (at < last) {
      const pixel = Math.floor(((this.depthAt[at] ?? 0) - from) / width);
      let low = level;
      let high = level;
      const start = this.depthAt[at] ?? 0;
      while (at < last && Math.floor(((this.depthAt[at] ?? 0) - from) / width) === pixel) {
        level = this.depth[at] ?? 0;
        low = Math.min(low, level);
        high = Math.max(high, level);
        at += 1;
      }
      for (const value of [high, low, level]) {
        if (value !== y.at(-1)) {
          x.push(start);
          y.push(value);
        }
      }
    }
    x.push(to);
    y.push(level);
    return { x, y };
  }

  private bytesUntil(at: number): number {
    const done = upperBound(this.until.length, (i) => (this.until[i] ?? 0) <= at);
    const before = done > 0 ? (this.delivered[done - 1] ?? 0) : 0;
    const from = this.from[done];
    const until = this.until[done];
    if (from === undefined || until === undefined || at <= from) return before;
    return before + (((this.delivered[done] ?? before) - before) * (at - from)) / (until - from);
  }

  /** Bytes a second delivered in each of `bins` equal parts of `from` … `to`. */
  throughputColumns(from: number, to: number, bins: number): Columns {
    const x: number[] = [];
    const y: number[] = [];
    const width = (to - from) / bins;
    if (width <= 0) return { x: [from], y: [0] };
    let before = this.bytesUntil(from);
    for (let bin = 0; bin < bins; bin += 1) {
      const end = from + (bin + 1) * width;
      const after = this.bytesUntil(end);
      x.push(from + bin * width);
      y.push(((after - before) / width) * 1e9);
      before = after;
    }
    x.push(to);
    y.push(y.at(-1) ?? 0);
    return { x, y };
  }
}
