// Why: the decision at the cursor in one sentence, the state before and after, the branch with its numbers; to copy and to
// link to. Attribute `side`. What is read aloud follows steps, not playing.

import { copyText } from "../copy.ts";
import { button, el, setText } from "../dom.ts";
import type { Coded, Decision } from "../lib/events.ts";
import * as format from "../lib/format.ts";
import { stateRows } from "../lib/kernel.ts";
import { family, familyOf } from "../lib/reasons.ts";
import type { DecisionPoint } from "../lib/store.ts";
import { type Side, type Stage, sideOf, stageOf } from "./ra-stage.ts";

/** While playing, the panel changes this seldom, so that it can be read. */
const PLAYING_EVERY_MS = 400;

export class Why extends HTMLElement {
  private readonly heading = el("p", { class: "note" });
  private readonly sentence = el("p", { class: "reason sentence" });
  private readonly states = el("tbody");
  private readonly numbers = el("dl");
  private readonly live = el("p", { class: "hidden", "aria-live": "polite" });
  private readonly link = el("a", { class: "button" }, "Link to this decision");
  private shown: DecisionPoint | undefined;
  private shownAt_ms = 0;
  private spokenMoves = 0;
  private stop: (() => void) | undefined;

  connectedCallback(): void {
    const stage = stageOf(this);
    const side = sideOf(this, stage);
    const head = el(
      "tr",
      {},
      el("th", {}, "state"),
      el("th", { class: "num" }, "before"),
      el("th", { class: "num" }, "after"),
    );
    const table = el("table", {}, el("thead", {}, head), this.states);
    const copy = button("Copy as JSON", () => void this.copy(copy), {
      title:
        "This decision by itself: state before, request, window, state after, Reason. Fields are named as in the conformance vectors, but it is no whole case of them.",
    });
    setText(this.sentence, "No decision yet.");
    this.replaceChildren(
      this.heading,
      this.sentence,
      table,
      el("details", {}, el("summary", {}, "the branch and its numbers"), this.numbers),
      el("div", { class: "row" }, copy, this.link),
      this.live,
    );
    this.stop = stage.onDraw(() => this.draw(stage, side));
  }

  disconnectedCallback(): void {
    this.stop?.();
  }

  private draw(stage: Stage, side: Side): void {
    const point = side.store.decisions[side.player.decisionIndex];
    const now = performance.now();
    const settled = !stage.clock.playing;
    if (point !== this.shown && (settled || now - this.shownAt_ms >= PLAYING_EVERY_MS)) {
      this.shown = point;
      this.shownAt_ms = now;
      this.show(point, side);
    }
    if (settled && stage.moves !== this.spokenMoves) {
      this.spokenMoves = stage.moves;
      setText(
        this.live,
        point === undefined ? "" : `Decision ${point.decision.id}: ${format.sentence(point.decision.sentence)}`,
      );
    }
  }

  private show(point: DecisionPoint | undefined, side: Side): void {
    if (point === undefined) {
      setText(this.heading, "");
      setText(this.sentence, "No decision yet.");
      this.states.replaceChildren();
      this.numbers.replaceChildren();
      return;
    }
    const { decision } = point;
    const kind = family(familyOf(decision));
    const pattern = decision.pattern === undefined ? "" : ` · pattern ${decision.pattern}`;
    setText(
      this.heading,
      `${kind.glyph} decision ${format.count(decision.id)} at ${format.time(point.at)} · ${kind.name}${pattern}`,
    );
    setText(this.sentence, format.sentence(decision.sentence));
    this.sentence.classList.toggle("warn", decision.below_half);
    this.states.replaceChildren(
      ...stateRows(side.kernel).map(({ name, unit, value }) => {
        const before = value(decision.before);
        const after = value(decision.after);
        const changed = before !== after ? "num changed" : "num";
        return el(
          "tr",
          {},
          el("th", { scope: "row" }, `${name} `, el("span", { class: "note" }, unit)),
          el("td", { class: "num" }, words(before)),
          el("td", { class: changed }, words(after)),
        );
      }),
    );
    this.numbers.replaceChildren(...branch("branch", decision.reason), ...branch("end", decision.trim));
    this.link.href = `#${side.letter}-decision-${decision.id}`;
  }

  private async copy(from: HTMLButtonElement): Promise<void> {
    const decision = this.shown?.decision;
    if (decision !== undefined) await copyText(decisionText(decision), from);
  }
}

function words(value: number | string): string {
  return typeof value === "number" ? format.count(value) : value;
}

function branch(name: string, coded: Coded): HTMLElement[] {
  const items: HTMLElement[] = [];
  for (const [key, value] of Object.entries(coded)) {
    const label = key === "code" ? name : key;
    items.push(el("div", {}, el("dt", {}, label), el("dd", {}, words(value))));
  }
  return items;
}

/** The decision with the field names of the conformance vectors, and what they do not have: states and Reason. */
export function decisionText(d: Decision): string {
  const event =
    d.window === null
      ? { via: d.via, index: d.index, req: d.req, window: null }
      : {
          via: d.via,
          index: d.index,
          req: d.req,
          start: d.window.start,
          size: d.window.size,
          async: d.window.async_size,
          order: d.window.order,
        };
  return JSON.stringify({ before: d.before, max: d.max, event, after: d.after, reason: d.reason, trim: d.trim });
}
