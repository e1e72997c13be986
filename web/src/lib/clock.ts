// The clock of the person who watches: where in the run they are, whether it moves, and how fast.
// Knows nothing of events; who owns it says how far the run reaches.

/** Paces offered, in seconds of the run for each second of the person. */
export const PACES = [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10] as const;

/** The words of a pace. */
export function paceWords(pace: number): string {
  return pace >= 1 ? `${pace}×` : `1/${Math.round(1 / pace).toLocaleString("en-US")}`;
}

/** The pace that shows about `perSecond` decisions in a second. */
export function paceFor(decisions: number, duration_ns: number, perSecond = 24): number {
  if (decisions === 0 || duration_ns <= 0) return 1e-3;
  const wanted = ((perSecond / decisions) * duration_ns) / 1e9;
  let best: number = PACES[0];
  for (const pace of PACES) {
    if (Math.abs(Math.log(pace / wanted)) < Math.abs(Math.log(best / wanted))) best = pace;
  }
  return best;
}

/** Position and speed. */
export class Clock {
  /** Nanoseconds of the run. */
  at = 0;
  playing = false;
  pace: number = 1e-3;

  /** Moves on by `elapsed_ms` of the person's time, not beyond `limit_ns`; stops there when the run has `ended`. */
  tick(elapsed_ms: number, limit_ns: number, ended: boolean): void {
    if (!this.playing) return;
    const next = this.at + elapsed_ms * 1e6 * this.pace;
    this.at = Math.min(next, Math.max(limit_ns, this.at));
    if (ended && this.at >= limit_ns) this.playing = false;
  }
}
