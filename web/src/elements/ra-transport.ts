// The transport: play, step, pace, a scrubber with a tick a decision, the time of the run. Keyboard: space plays and
// pauses, arrows step, Home and End go to the ends.

import { color, onScheme } from "../colors.ts";
import { button, el, setText, sized } from "../dom.ts";
import { PACES, paceWords } from "../lib/clock.ts";
import * as format from "../lib/format.ts";
import { type Stage, stageOf } from "./ra-stage.ts";

const SCRUB_STEPS = 100_000;
const SCRUB_HEIGHT = 34;

export class Transport extends HTMLElement {
  private stage: Stage | undefined;
  private stop: Array<() => void> = [];
  private readonly playButton = button("Play", () => this.stage?.toggle(), { class: "play first" });
  private readonly next = button("", () => this.stage?.stepForward(), {
    "aria-label": "Next decision",
    title: "Next decision (→)",
  });
  private readonly pace = el("select", { "aria-label": "pace" });
  private readonly range = el("input", {
    type: "range",
    min: "0",
    max: String(SCRUB_STEPS),
    value: "0",
    "aria-label": "moment of the run",
  });
  private readonly ticks = el("canvas", { "aria-hidden": "true" });
  private readonly clock = el("output", { "aria-label": "time of the run" });
  private readonly held = el("p", { class: "note held" });
  private drawn = "";

  connectedCallback(): void {
    const stage = stageOf(this);
    this.stage = stage;
    for (const pace of PACES) this.pace.append(el("option", { value: String(pace) }, paceWords(pace)));
    this.pace.addEventListener("change", () => stage.setPace(Number(this.pace.value)));
    this.range.addEventListener("input", () => {
      stage.clock.playing = false;
      stage.seek((Number(this.range.value) / SCRUB_STEPS) * stage.endAt);
    });
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", "transport");
    const given = [...this.children];
    this.next.replaceChildren(el("span", { class: "wide-only" }, "Next decision"), "▶");
    this.replaceChildren(
      this.playButton,
      button("◀", () => stage.stepBack(), { "aria-label": "previous decision", title: "Previous decision (←)" }),
      this.next,
      el("label", {}, el("span", { class: "wide-only" }, "pace"), this.pace),
      el("div", { class: "scrub" }, this.ticks, this.range),
      this.clock,
      ...given,
      this.held,
    );
    this.stop = [
      stage.onDraw(() => this.draw(stage)),
      onScheme(() => {
        this.drawn = "";
        stage.invalidate();
      }),
    ];
  }

  disconnectedCallback(): void {
    for (const stop of this.stop) stop();
  }

  private draw(stage: Stage): void {
    const { clock, endAt } = stage;
    setText(this.playButton, clock.playing ? "Pause" : clock.at >= endAt && stage.ended ? "Replay" : "Play");
    this.playButton.title = clock.playing ? "Pause (space)" : "Play (space)";
    if (document.activeElement !== this.pace) this.pace.value = String(clock.pace);
    this.range.disabled = endAt === 0;
    const value = String(endAt > 0 ? Math.round((clock.at / endAt) * SCRUB_STEPS) : 0);
    if (this.range.value !== value) this.range.value = value;
    const text = format.position(clock.at, endAt);
    setText(this.clock, text);
    this.range.setAttribute("aria-valuetext", text);
    this.drawTicks(stage);
    setText(this.held, this.heldText(stage));
    this.held.hidden = this.held.textContent === "";
  }

  /** What the page does not hold, and why; empty when it holds everything. */
  private heldText(stage: Stage): string {
    const parts: string[] = [];
    for (const side of stage.sides) {
      const name = stage.sides.length > 1 ? `${side.letter.toUpperCase()}: ` : "";
      if (side.message !== undefined) parts.push(`${name}${side.message}`);
      else if (side.state === "cancelled") parts.push(`${name}The run was cancelled; what it had recorded is shown.`);
      if (side.store.full) {
        parts.push(
          `${name}This page holds the first ${format.count(side.store.events.length)} events and plays up to ${format.time(side.store.endAt)}; the figures and the export have the whole run.`,
        );
      }
      if (side.store.skipped > 0) {
        parts.push(
          `${name}${format.count(side.store.skipped)} events were skipped because this viewer was slow; reload to see them.`,
        );
      }
    }
    return parts.join(" ");
  }

  private drawTicks(stage: Stage): void {
    const key = `${stage.decisionCount} ${stage.endAt} ${this.ticks.clientWidth} ${window.devicePixelRatio}`;
    if (key === this.drawn) return;
    const canvas = sized(this.ticks, SCRUB_HEIGHT);
    if (canvas === undefined) return;
    this.drawn = key;
    const { pen, width } = canvas;
    const inset = 5.5;
    const scale = (width - 2 * inset) / Math.max(1, stage.endAt);
    pen.fillStyle = color("--line-strong");
    pen.fillRect(inset, SCRUB_HEIGHT / 2 - 0.5, width - 2 * inset, 1);
    const rows = stage.sides.length;
    for (const [row, side] of stage.sides.entries()) {
      pen.fillStyle = rows > 1 ? color(`--${side.letter}`) : color("--ink-2");
      let lastPixel = -1;
      for (const point of side.store.decisions) {
        const pixel = Math.round(inset + point.at * scale);
        if (pixel === lastPixel) continue;
        lastPixel = pixel;
        if (rows > 1) pen.fillRect(pixel, row === 0 ? 8 : 18, 1, 8);
        else pen.fillRect(pixel, 12, 1, 10);
      }
    }
  }
}
