// The count of device reads at the cursor, beside the final figure that the server gives. Attribute `side`.

import { setText } from "../dom.ts";
import * as format from "../lib/format.ts";
import { sideOf, stageOf } from "./ra-stage.ts";

export class Headline extends HTMLElement {
  private stop: (() => void) | undefined;

  connectedCallback(): void {
    const stage = stageOf(this);
    const side = sideOf(this, stage);
    this.stop = stage.onDraw(() => {
      setText(this, `${format.count(side.player.state.counters.device_reads)} at the cursor`);
    });
  }

  disconnectedCallback(): void {
    this.stop?.();
  }
}
