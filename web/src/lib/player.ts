// Moves the state of a run to any moment: forward event by event, backward from the nearest copy kept on the way.
// Knows nothing of wall time: who plays says where to go.

import { RunState } from "./state.ts";
import type { EventStore } from "./store.ts";

const FIRST_SPACING = 2048;
const SNAPSHOT_BYTES_MAX = 48 * 1024 * 1024;

interface Snapshot {
  index: number;
  state: RunState;
}

/** The state of one run at the moment that was asked for last. */
export class Player {
  state = new RunState();
  /** Events applied. */
  index = 0;
  private snapshots: Snapshot[] = [];
  private spacing = FIRST_SPACING;

  constructor(readonly store: EventStore) {}

  /** Goes to the moment when everything at or before `at` has happened. */
  seek(at: number): void {
    this.seekIndex(this.store.countUntil(at));
  }

  /** Goes to the moment when exactly `index` events have happened (or all, when there are fewer). */
  seekIndex(index: number): void {
    const target = Math.max(0, Math.min(index, this.store.events.length));
    if (target < this.index) this.restore(target);
    else this.jump(target);
    while (this.index < target) {
      const event = this.store.events[this.index];
      if (event === undefined) break;
      this.state.apply(event);
      this.index += 1;
      if (this.index % this.spacing === 0) this.keep();
    }
  }

  /** The place among the decisions of the last one that has happened, −1 before the first. */
  get decisionIndex(): number {
    return this.store.decisionsBefore(this.index) - 1;
  }

  private nearest(target: number): Snapshot | undefined {
    let found: Snapshot | undefined;
    for (const snapshot of this.snapshots) {
      if (snapshot.index > target) break;
      found = snapshot;
    }
    return found;
  }

  private restore(target: number): void {
    const snapshot = this.nearest(target);
    this.index = snapshot?.index ?? 0;
    this.state = snapshot?.state.clone() ?? new RunState();
  }

  /** Takes the last copy when it is further on than the present state. */
  private jump(target: number): void {
    const snapshot = this.nearest(target);
    if (snapshot !== undefined && snapshot.index > this.index) this.restore(target);
  }

  private keep(): void {
    const last = this.snapshots.at(-1);
    if (last !== undefined && last.index >= this.index) return;
    this.snapshots.push({ index: this.index, state: this.state.clone() });
    let bytes = 0;
    for (const snapshot of this.snapshots) bytes += snapshot.state.bytes;
    if (bytes > SNAPSHOT_BYTES_MAX) {
      this.spacing *= 2;
      this.snapshots = this.snapshots.filter((snapshot) => snapshot.index % this.spacing === 0);
    }
  }
}
