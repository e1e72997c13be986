// The events of one run, as far as they have come, and the list of its decisions. Append-only, with a bound.
// Knows nothing of the page or of the stream that feeds it.

import type { Decision, LabEvent } from "./events.ts";

/** Most events of one run that the page keeps; a 512 MiB file read in order makes far fewer. */
export const EVENTS_MAX = 600_000;

/** A decision with its place in the event list. */
export interface DecisionPoint {
  decision: Decision;
  /** When, in nanoseconds of the run. */
  at: number;
  /** Place of its event in the store. */
  index: number;
}

/** All events that have come, oldest first. */
export class EventStore {
  readonly events: LabEvent[] = [];
  readonly decisions: DecisionPoint[] = [];
  /** Events that this store was told of but does not hold. */
  dropped = 0;
  /** Events that the stream skipped because this viewer was slow. */
  skipped = 0;
  private nextSeq = 0;

  constructor(private readonly max = EVENTS_MAX) {}

  /** Appends what is new; a resumed stream may repeat what is there already. */
  append(batch: readonly LabEvent[]): void {
    for (const event of batch) {
      if (event.seq < this.nextSeq) continue;
      this.nextSeq = event.seq + (event.event === "folio_added" ? (event.count ?? 1) : 1);
      if (this.events.length >= this.max) {
        this.dropped += 1;
        continue;
      }
      if (event.event === "decided") {
        this.decisions.push({ decision: event.decision, at: event.at_ns, index: this.events.length });
      }
      this.events.push(event);
    }
  }

  /** Notes that the stream left out the events `from` … `to` (exclusive). */
  skip(from: number, to: number): void {
    this.skipped += Math.max(0, to - from);
    this.nextSeq = Math.max(this.nextSeq, to);
  }

  /** The sequence number to resume from. */
  get resumeFrom(): number {
    return this.nextSeq;
  }

  /** Whether the store is full. */
  get full(): boolean {
    return this.events.length >= this.max;
  }

  /** Time of the last event held. */
  get endAt(): number {
    return this.events.at(-1)?.at_ns ?? 0;
  }

  /** How many events happened at or before `at`. */
  countUntil(at: number): number {
    return upperBound(this.events.length, (i) => (this.events[i]?.at_ns ?? 0) <= at);
  }

  /** How many decisions lie among the first `index` events. */
  decisionsBefore(index: number): number {
    return upperBound(this.decisions.length, (i) => (this.decisions[i]?.index ?? 0) < index);
  }
}

/** The number of leading places for which `holds` is true, when it is true for a prefix only. */
export function upperBound(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
