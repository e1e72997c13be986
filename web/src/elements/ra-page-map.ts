// The page cache around the reader: one cell a page, in rows of 64 (32 on a narrow screen), and a strip of the whole
// file above. Colour and a second cue say the state; thick lines are folio borders, ▼ is the marker. Attribute `side`.

import { color, hatch, onScheme } from "../colors.ts";
import { el, setText, sized } from "../dom.ts";
import * as format from "../lib/format.ts";
import { hasMarker } from "../lib/kernel.ts";
import { type FilePages, PAGE_WORDS, Page } from "../lib/pages.ts";
import { type Side, type Stage, sideOf, stageOf } from "./ra-stage.ts";

const ROWS = 12;
const ROWS_BEHIND = 3;
const CELL_HEIGHT = 17;
const STRIP_HEIGHT = 12;
const STRIP_GAP = 10;
const HEIGHT = STRIP_HEIGHT + STRIP_GAP + ROWS * CELL_HEIGHT;

type Fill = string | CanvasPattern;

interface Inks {
  states: Fill[];
  ink: string;
  marker: string;
  panel: string;
  line: string;
  evicted: string;
}

export class PageMap extends HTMLElement {
  private readonly canvas = el("canvas", { role: "img" });
  private readonly reading = el("p", { class: "reading" });
  private inks: Inks | undefined;
  private stop: Array<() => void> = [];
  private firstPage = 0;
  private columns = 64;

  connectedCallback(): void {
    const stage = stageOf(this);
    const side = sideOf(this, stage);
    const item = (name: string, words: string): HTMLElement =>
      el("li", {}, el("span", { class: `swatch ${name}` }), words);
    const key = el(
      "ul",
      { class: "key" },
      item("absent", "absent"),
      item("flight", "in flight"),
      item("ahead", "read ahead, not yet used"),
      item("used", "used"),
      item("evicted", "evicted before use"),
      ...(hasMarker(side.kernel) ? [el("li", { class: "marker" }, "▼ marker")] : []),
      el("li", {}, "┃ folio border"),
      el("li", {}, "□ reader"),
    );
    this.replaceChildren(this.canvas, this.reading, key);
    this.canvas.addEventListener("pointermove", (event) => this.point(event, stage, side));
    this.canvas.addEventListener("pointerleave", () => {
      setText(this.reading, "");
      stage.light(undefined);
    });
    this.stop = [
      onScheme(() => {
        this.inks = undefined;
        stage.invalidate();
      }),
      stage.onDraw(() => this.draw(stage, side)),
    ];
  }

  disconnectedCallback(): void {
    for (const stop of this.stop) stop();
  }

  private inksOf(pen: CanvasRenderingContext2D): Inks {
    this.inks ??= {
      states: [
        color("--absent"),
        hatch(pen, color("--flight"), color("--flight-ink"), 5),
        color("--ahead"),
        color("--used"),
        color("--absent"),
        color("--absent"),
      ],
      ink: color("--ink"),
      marker: color("--marker"),
      panel: color("--panel"),
      line: color("--line"),
      evicted: color("--evicted"),
    };
    return this.inks;
  }

  private draw(stage: Stage, side: Side): void {
    const canvas = sized(this.canvas, HEIGHT);
    if (canvas === undefined) return;
    const { pen, width } = canvas;
    const inks = this.inksOf(pen);
    this.columns = width >= 480 ? 64 : 32;
    const { reader } = side.player.state;
    const pages = side.player.state.file(reader.file);
    const row = Math.floor(reader.page / this.columns);
    this.firstPage = Math.max(0, row - ROWS_BEHIND) * this.columns;
    const end = Math.max(pages.length, stage.offsetEnd(side, reader.file));
    this.drawStrip(pen, width, pages, end, inks);
    const cell = width / this.columns;
    for (let r = 0; r < ROWS; r += 1) {
      for (let c = 0; c < this.columns; c += 1) {
        const page = this.firstPage + r * this.columns + c;
        if (page >= end) break;
        const y = STRIP_HEIGHT + STRIP_GAP + r * CELL_HEIGHT;
        this.drawCell(pen, c * cell, y, cell, pages, page, inks);
      }
    }
    for (let r = 0; r < ROWS; r += 1) {
      const y = STRIP_HEIGHT + STRIP_GAP + r * CELL_HEIGHT;
      for (let c = 0; c < this.columns; c += 1) {
        const page = this.firstPage + r * this.columns + c;
        this.drawSigns(pen, c * cell, y, cell, pages, page, inks);
        if (this.isLit(stage, reader.file, page)) {
          pen.fillStyle = inks.ink;
          pen.fillRect(c * cell, y + CELL_HEIGHT - 3, cell, 1.5);
        }
        if (page === reader.page) {
          pen.strokeStyle = inks.ink;
          pen.lineWidth = 2;
          pen.strokeRect(c * cell + 1, y + 2, Math.max(2, cell - 2), CELL_HEIGHT - 5);
        }
      }
    }
    if (!stage.clock.playing) this.describe(side, pages, reader.page);
  }

  private drawCell(
    pen: CanvasRenderingContext2D,
    x: number,
    y: number,
    cell: number,
    pages: FilePages,
    page: number,
    inks: Inks,
  ): void {
    const state = pages.stateOf(page);
    const w = cell - (cell > 5 ? 1 : 0.5);
    const h = CELL_HEIGHT - 5;
    pen.fillStyle = inks.states[state] ?? inks.panel;
    pen.fillRect(x, y + 3, w, h);
    if (state === Page.EvictedUnused) {
      pen.strokeStyle = inks.evicted;
      pen.lineWidth = 1.25;
      pen.beginPath();
      pen.moveTo(x, y + 3);
      pen.lineTo(x + w, y + 3 + h);
      pen.moveTo(x + w, y + 3);
      pen.lineTo(x, y + 3 + h);
      pen.stroke();
    }
  }

  private drawSigns(
    pen: CanvasRenderingContext2D,
    x: number,
    y: number,
    cell: number,
    pages: FilePages,
    page: number,
    inks: Inks,
  ): void {
    if (pages.isFolioFirst(page)) {
      pen.fillStyle = inks.ink;
      pen.fillRect(x - 1, y + 1, 1.5, CELL_HEIGHT - 1);
    }
    if (pages.isMarker(page)) {
      const half = Math.max(3, Math.min(5, cell / 2));
      const middle = x + cell / 2;
      pen.fillStyle = inks.marker;
      pen.beginPath();
      pen.moveTo(middle - half, y);
      pen.lineTo(middle + half, y);
      pen.lineTo(middle, y + 7);
      pen.fill();
    }
  }

  /** The whole file in one line of pixels, each the most telling state of its pages, with a frame around the rows below. */
  private drawStrip(pen: CanvasRenderingContext2D, width: number, pages: FilePages, end: number, inks: Inks): void {
    const perPixel = Math.max(1, end) / width;
    const order: number[] = [Page.EvictedUnused, Page.InFlight, Page.Ready, Page.Used];
    for (let px = 0; px < width; px += 1) {
      const from = Math.floor(px * perPixel);
      const to = Math.max(from + 1, Math.floor((px + 1) * perPixel));
      const stride = Math.max(1, Math.floor((to - from) / 32));
      let rank = order.length;
      for (let page = from; page < to; page += stride) {
        const found = order.indexOf(pages.stateOf(page));
        if (found >= 0) rank = Math.min(rank, found);
      }
      const state = order[rank];
      pen.fillStyle =
        state === undefined
          ? inks.line
          : state === Page.EvictedUnused
            ? inks.evicted
            : (inks.states[state] ?? inks.line);
      pen.fillRect(px, 3, 1, STRIP_HEIGHT - 6);
    }
    const shown = ROWS * this.columns;
    pen.strokeStyle = inks.ink;
    pen.lineWidth = 1;
    pen.strokeRect(this.firstPage / perPixel + 0.5, 0.5, Math.max(3, shown / perPixel), STRIP_HEIGHT - 1);
  }

  private isLit(stage: Stage, file: number, page: number): boolean {
    const { lit } = stage;
    return lit !== undefined && lit.file === file && page >= lit.first && page < lit.first + lit.pages;
  }

  private point(event: PointerEvent, stage: Stage, side: Side): void {
    const y = event.offsetY - STRIP_HEIGHT - STRIP_GAP;
    if (y < 0 || y >= ROWS * CELL_HEIGHT) return;
    const cell = this.canvas.clientWidth / this.columns;
    const page = this.firstPage + Math.floor(y / CELL_HEIGHT) * this.columns + Math.floor(event.offsetX / cell);
    const { reader } = side.player.state;
    const pages = side.player.state.file(reader.file);
    const marker = pages.isMarker(page) ? ", carries the marker" : "";
    setText(
      this.reading,
      `Page ${format.count(page)} at ${format.bytes(page * 4096)}: ${PAGE_WORDS[pages.stateOf(page)] ?? "absent"}${marker}`,
    );
    stage.light({ file: reader.file, first: page, pages: 1 });
  }

  private describe(side: Side, pages: FilePages, reader: number): void {
    const counts = PAGE_WORDS.map(() => 0);
    for (let page = this.firstPage; page < this.firstPage + ROWS * this.columns; page += 1) {
      const state = pages.stateOf(page);
      counts[state] = (counts[state] ?? 0) + 1;
    }
    const words = PAGE_WORDS.map((word, state) => `${counts[state] ?? 0} ${word}`).join(", ");
    const label = `Page cache around the reader${side.label === "" ? "" : `, ${side.label}`}. The reader is at page ${reader}. Of the ${ROWS * this.columns} pages shown: ${words}.`;
    if (this.canvas.getAttribute("aria-label") !== label) this.canvas.setAttribute("aria-label", label);
  }
}
