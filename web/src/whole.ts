// Figures of a whole run in decimated columns, for runs of which the page holds only the beginning. Each is fetched once.

import { barsOf, type FigureBars } from "./lib/figure.ts";
import type { Axis } from "./lib/windows.ts";

const COLUMNS = 1200;

/** The windows of a run, whole. */
export class Whole {
  private readonly found = new Map<Axis, FigureBars | "coming">();

  constructor(
    private readonly id: string,
    private readonly arrived: () => void,
  ) {}

  /** The bars over this axis; undefined while they are on their way. */
  bars(axis: Axis): FigureBars | undefined {
    const found = this.found.get(axis);
    if (found === undefined) {
      this.found.set(axis, "coming");
      void this.fetch(axis);
    }
    return found === "coming" ? undefined : found;
  }

  private async fetch(axis: Axis): Promise<void> {
    const name = axis === "time" ? "window_times" : "windows";
    const response = await fetch(`/api/v1/runs/${this.id}/series/${name}?from=0&px=${COLUMNS}`);
    const bars = response.ok ? barsOf(await response.json()) : undefined;
    if (bars !== undefined) this.found.set(axis, bars);
    this.arrived();
  }
}
