// Folio sizes: of the pages added up to the cursor, how many per cent are in folios of each order. All sides of the stage.

import { el } from "../dom.ts";
import * as format from "../lib/format.ts";
import { type Stage, stageOf } from "./ra-stage.ts";

export class Folios extends HTMLElement {
  private readonly bars = el("div", { class: "bars", role: "img" });
  private shownKey = "";
  private stop: (() => void) | undefined;

  connectedCallback(): void {
    const stage = stageOf(this);
    this.replaceChildren(this.bars);
    this.stop = stage.onDraw(() => this.draw(stage));
  }

  disconnectedCallback(): void {
    this.stop?.();
  }

  private draw(stage: Stage): void {
    const shares = stage.sides.map((side) => {
      const total = side.player.state.counters.pages_added;
      return side.player.state.folioPages.map((pages) => (total === 0 ? 0 : (100 * pages) / total));
    });
    const orders: number[] = [];
    const highest = Math.max(0, ...shares.map((share) => share.findLastIndex((value) => value > 0)));
    for (let order = 0; order <= Math.max(highest, 5); order += 1) orders.push(order);
    const key = shares.map((share) => orders.map((order) => Math.round((share[order] ?? 0) * 4)).join()).join(";");
    if (key === this.shownKey) return;
    this.shownKey = key;
    this.bars.replaceChildren(
      ...orders.map((order) => {
        const pair = stage.sides.map((side, place) => {
          const share = shares[place]?.[order] ?? 0;
          const bar = el("div", { class: `in-${side.letter}` }, el("span", {}, share === 0 ? "" : percent(share)));
          bar.style.height = `${share * 0.86}%`;
          return bar;
        });
        return el("div", { class: "order" }, el("div", { class: "pair" }, ...pair), el("span", {}, shortSize(order)));
      }),
    );
    const words = stage.sides.map((side, place) => {
      const parts = orders
        .filter((order) => (shares[place]?.[order] ?? 0) > 0)
        .map((order) => `${format.folioSize(order)} ${percent(shares[place]?.[order] ?? 0)} %`);
      return `${stage.sides.length > 1 ? `${side.letter.toUpperCase()}: ` : ""}${parts.join(", ")}`;
    });
    this.bars.setAttribute("aria-label", `Share of pages by folio size, up to the cursor. ${words.join(". ")}.`);
  }
}

function percent(share: number): string {
  return share < 1 ? "<1" : String(Math.round(share));
}

function shortSize(order: number): string {
  return format.folioSize(order).replace("iB", "");
}
