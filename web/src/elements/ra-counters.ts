// What has been counted up to the cursor. Attribute `side`. The totals of the finished run stand beside it, from the server.

import { el, setText } from "../dom.ts";
import * as format from "../lib/format.ts";
import type { Counters } from "../lib/state.ts";
import { sideOf, stageOf } from "./ra-stage.ts";

const ROWS: ReadonlyArray<readonly [string, (counters: Counters) => string]> = [
  ["device reads", (c) => format.count(c.device_reads)],
  ["read from device", (c) => format.bytes(c.device_read_bytes)],
  ["mean read", (c) => (c.device_reads === 0 ? "—" : format.bytes(c.device_read_bytes / c.device_reads))],
  ["decisions", (c) => format.count(c.decisions)],
  ["windows", (c) => format.count(c.windows)],
  ["cut below half", (c) => format.count(c.below_half)],
  ["pages cut off", (c) => format.count(c.trimmed_pages)],
  ["pages added", (c) => format.count(c.pages_added)],
  ["pages used", (c) => format.count(c.pages_used)],
  ["evicted before use", (c) => format.count(c.evicted_unused)],
  ["waits for a page", (c) => format.count(c.waits)],
  ["time waiting", (c) => format.time(c.wait_ns)],
  ["returned by reads", (c) => format.bytes(c.read_bytes)],
];

export class CountersPanel extends HTMLElement {
  private stop: (() => void) | undefined;

  connectedCallback(): void {
    const stage = stageOf(this);
    const side = sideOf(this, stage);
    const only = this.getAttribute("only")?.split(",");
    const rows = ROWS.filter(([name]) => only === undefined || only.includes(name));
    const values = rows.map(() => el("dd"));
    this.replaceChildren(
      el("dl", {}, ...rows.map(([name], place) => el("div", {}, el("dt", {}, name), values[place] ?? el("dd")))),
    );
    this.stop = stage.onDraw(() => {
      for (const [place, [, words]] of rows.entries()) {
        const value = values[place];
        if (value !== undefined) setText(value, words(side.player.state.counters));
      }
    });
  }

  disconnectedCallback(): void {
    this.stop?.();
  }
}
