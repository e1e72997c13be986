// The event log: the lines up to the cursor, with the sentence of each Reason; filter by kind and words, follow or stay.
// Attribute `side`. Pointing at a line lights its pages everywhere; pressing it goes to its moment.

import { el } from "../dom.ts";
import type { LabEvent } from "../lib/events.ts";
import * as format from "../lib/format.ts";
import { KINDS, type Kind, kindOf, pagesOf, stampOf, textOf } from "../lib/lines.ts";
import { tail } from "../lib/log.ts";
import { type Side, type Stage, sideOf, stageOf } from "./ra-stage.ts";

const LINES_MAX = 160;
const PLAYING_EVERY_MS = 200;

export class Log extends HTMLElement {
  private readonly kinds = new Set<Kind>(["decision", "page cache", "block"]);
  private readonly words = el("input", { type: "search", placeholder: "filter", "aria-label": "filter by words" });
  private readonly list = el("ol", { class: "lines", tabindex: "0", "aria-label": "events up to the cursor" });
  private readonly followBox = el("input", { type: "checkbox" });
  private following = true;
  private shownKey = "";
  private shownAt_ms = 0;
  private stop: (() => void) | undefined;

  connectedCallback(): void {
    const stage = stageOf(this);
    const side = sideOf(this, stage);
    this.followBox.checked = true;
    this.followBox.addEventListener("change", () => {
      this.following = this.followBox.checked;
      stage.invalidate();
    });
    this.words.addEventListener("input", () => this.again(stage));
    const boxes = KINDS.map((kind) => {
      const box = el("input", { type: "checkbox" });
      box.checked = this.kinds.has(kind);
      box.addEventListener("change", () => {
        if (box.checked) this.kinds.add(kind);
        else this.kinds.delete(kind);
        this.again(stage);
      });
      return el("label", { class: "check note" }, box, kind);
    });
    const controls = el(
      "div",
      { class: "row" },
      ...boxes,
      this.words,
      el("label", { class: "check note" }, this.followBox, "follow"),
    );
    this.replaceChildren(controls, this.list);
    this.list.addEventListener("pointerover", (event) => {
      const place = placeOf(event.target);
      stage.light(place === undefined ? undefined : lightOf(side.store.events[place]));
    });
    this.list.addEventListener("pointerleave", () => stage.light(undefined));
    this.list.addEventListener("click", (event) => this.go(event.target, stage, side));
    this.stop = stage.onDraw(() => this.draw(stage, side));
  }

  disconnectedCallback(): void {
    this.stop?.();
  }

  private again(stage: Stage): void {
    this.shownKey = "";
    stage.invalidate();
  }

  private go(target: EventTarget | null, stage: Stage, side: Side): void {
    const place = placeOf(target);
    const event = place === undefined ? undefined : side.store.events[place];
    if (place === undefined || event === undefined) return;
    const point =
      event.event === "decided" ? side.store.decisions[side.store.decisionsBefore(place + 1) - 1] : undefined;
    if (point !== undefined) stage.seekDecision(side, point);
    else stage.seek(event.at_ns);
  }

  private draw(stage: Stage, side: Side): void {
    if (!this.following && this.shownKey !== "") return;
    const now = performance.now();
    if (stage.clock.playing && now - this.shownAt_ms < PLAYING_EVERY_MS) return;
    const filter = { kinds: this.kinds, words: this.words.value.trim() };
    const found = tail(side.store, side.player.index, filter, LINES_MAX);
    const key = `${found.at(0)?.place} ${found.at(-1)?.place} ${found.length} ${[...this.kinds].join()} ${filter.words}`;
    if (key === this.shownKey) return;
    this.shownKey = key;
    this.shownAt_ms = now;
    if (found.length === 0) {
      this.list.replaceChildren(
        el("li", {}, side.player.index === 0 ? "Nothing has happened yet." : "No line matches."),
      );
      return;
    }
    this.list.replaceChildren(...found.map(({ place, event }) => line(place, event)));
    this.list.scrollTop = this.list.scrollHeight;
  }
}

function line(place: number, event: LabEvent): HTMLLIElement {
  const item = el(
    "li",
    { "data-place": String(place) },
    el("span", { class: "stamp" }, `${stampOf(event)}: `),
    textOf(event),
  );
  if (kindOf(event) === "decision") item.className = "decision";
  if (event.event === "decided") item.append(el("span", { class: "why" }, format.sentence(event.decision.sentence)));
  return item;
}

function placeOf(target: EventTarget | null): number | undefined {
  const item = target instanceof Element ? target.closest("li[data-place]") : null;
  return item instanceof HTMLElement ? Number(item.dataset.place) : undefined;
}

function lightOf(event: LabEvent | undefined): ReturnType<typeof pagesOf> {
  return event === undefined ? undefined : pagesOf(event);
}
