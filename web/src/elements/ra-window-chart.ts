// Windows as bars: their size, the part behind the marker (or the kind of step), the family of each Reason, and those cut below half.
// Attribute `side`. uPlot has the scales, axes and cursor; the bars are drawn here.

import uPlot from "uplot";
import { color, hatch, onScheme } from "../colors.ts";
import { choice, el, setText } from "../dom.ts";
import type { FigureBars } from "../lib/figure.ts";
import * as format from "../lib/format.ts";
import { hasMarker, partInWords } from "../lib/kernel.ts";
import { type FamilyName, family, familyOf } from "../lib/reasons.ts";
import type { Extent } from "../lib/view.ts";
import { type Axis, type Bar, barsIn, familiesOf } from "../lib/windows.ts";
import { type Side, type Stage, sideOf, stageOf } from "./ra-stage.ts";

const HEIGHT = 232;
const GLYPH_ROOM = 11;
/** Bars drawn one by one at most; the view is narrowed by its owner long before. */
const BARS_MAX = 20_000;

export class WindowChart extends HTMLElement {
  private plot: uPlot | undefined;
  private bars: Bar[] = [];
  private hovered: Bar | undefined;
  /** The whole run in columns, when the page holds only its beginning and all of it is to be seen. */
  private columns: FigureBars | undefined;
  private span = { from: 0, to: 1 };
  private stop: Array<() => void> = [];
  private readonly box = el("div", { class: "plot" });
  private readonly reading = el("p", { class: "reading" });
  private readonly key = el("ul", { class: "key" });
  private readonly sofar = el("span", { class: "note sofar" });
  private shownKey = "";

  connectedCallback(): void {
    const stage = stageOf(this);
    const side = sideOf(this, stage);
    const axis = choice<Axis>(
      "x axis",
      [
        ["time", "over time"],
        ["offset", "over the file"],
      ],
      () => stage.view.axis,
      (value) => {
        stage.view.axis = value;
        stage.invalidate();
      },
    );
    const extent = choice<Extent>(
      "extent",
      [
        ["near", "near the cursor"],
        ["all", "whole run"],
      ],
      () => stage.view.extent,
      (value) => {
        stage.view.extent = value;
        stage.invalidate();
      },
    );
    // The choice holds for all charts of the stage, so it stands once.
    const controls = side.letter === "a" ? [axis.element, extent.element] : [];
    this.box.setAttribute("role", "img");
    this.replaceChildren(el("div", { class: "row over" }, ...controls, this.sofar), this.box, this.reading, this.key);
    this.build(stage, side);
    const observer = new ResizeObserver(() => {
      this.plot?.setSize({ width: Math.max(160, this.box.clientWidth), height: HEIGHT });
      stage.invalidate();
    });
    observer.observe(this.box);
    this.stop = [
      () => observer.disconnect(),
      onScheme(() => {
        this.build(stage, side);
        stage.invalidate();
      }),
      stage.onDraw(() => {
        axis.refresh();
        extent.refresh();
        this.draw(stage, side);
      }),
    ];
  }

  disconnectedCallback(): void {
    for (const stop of this.stop) stop();
    this.plot?.destroy();
    this.plot = undefined;
  }

  private build(stage: Stage, side: Side): void {
    this.plot?.destroy();
    const ink = color("--ink-2");
    const rule = color("--rule");
    const font = "11px 'Inter Variable', system-ui, sans-serif";
    this.plot = new uPlot(
      {
        width: Math.max(160, this.box.clientWidth),
        height: HEIGHT,
        scales: {
          x: { time: false, range: () => [this.span.from, this.span.to] },
          y: { range: () => [0, Math.max(stage.largestWindow, this.columns?.top ?? 0) * 1.12] },
        },
        series: [{}, { paths: () => null, points: { show: false } }],
        axes: [
          {
            stroke: ink,
            font,
            grid: { show: false },
            ticks: { stroke: rule, size: 4 },
            size: 30,
            space: 74,
            values: (_plot, splits) =>
              splits.map((value) =>
                value === 0 ? "0" : stage.view.axis === "time" ? format.time(value) : format.bytes(value),
              ),
            incrs: () => increments(stage.view.axis),
          },
          {
            stroke: ink,
            font,
            size: 42,
            grid: { stroke: rule, width: 1 },
            ticks: { show: false },
            incrs: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192],
          },
        ],
        cursor: {
          y: false,
          points: { show: false },
          drag: { x: false, y: false },
          bind: { dblclick: () => null },
        },
        legend: { show: false },
        hooks: {
          draw: [(plot) => this.paint(plot, stage, side)],
          setCursor: [(plot) => this.point(plot, stage, side)],
        },
      },
      [[0], [0]],
      this.box,
    );
    this.plot.over.addEventListener("click", () => {
      const point = this.hovered === undefined ? undefined : side.store.decisions[this.hovered.place];
      if (point !== undefined) stage.seekDecision(side, point);
    });
  }

  private draw(stage: Stage, side: Side): void {
    const { axis } = stage.view;
    this.span = axis === "time" ? stage.timeSpan() : stage.offsetSpan(side);
    this.columns = stage.view.extent === "all" && side.store.full ? side.whole.bars(axis) : undefined;
    if (this.columns !== undefined) this.span = { from: this.columns.from, to: this.columns.to };
    const until = side.player.decisionIndex + 1;
    const now = Math.min(stage.clock.at, side.store.endAt);
    const file = axis === "offset" ? side.player.state.reader.file : undefined;
    this.bars = barsIn(side.store, axis, this.span.from, this.span.to, until, now, file).slice(-BARS_MAX);
    this.plot?.setData([
      [this.span.from, this.span.to],
      [0, 0],
    ]);
    this.describe(stage, side);
  }

  private describe(stage: Stage, side: Side): void {
    const { counters } = side.player.state;
    setText(this.sofar, `${format.count(counters.device_reads)} device reads at the cursor`);
    const share = counters.windows > 0 ? Math.round((100 * counters.below_half) / counters.windows) : 0;
    if (!stage.clock.playing || this.box.getAttribute("aria-label") === null) {
      const last = side.store.decisions[side.player.decisionIndex]?.decision.window;
      this.box.setAttribute(
        "aria-label",
        `Window size${stage.sides.length > 1 ? ` of side ${side.letter.toUpperCase()}` : ""}: ${format.count(counters.windows)} windows so far, ${format.count(counters.below_half)} cut below half${last ? `; the last one is ${last.size} pages at page ${last.start}` : ""}.`,
      );
    }
    const families = familiesOf(this.bars);
    const key = `${families.join()} ${share} ${this.bars.some((bar) => bar.async_size < bar.size)}`;
    if (key === this.shownKey) return;
    this.shownKey = key;
    const [full, pale] = hasMarker(side.kernel)
      ? ["behind the marker", "before it"]
      : [signed("ahead"), signed("step")];
    const items = [
      el("li", {}, el("span", { class: "swatch async" }), full),
      el("li", {}, el("span", { class: "swatch sync" }), pale),
    ];
    if (counters.below_half > 0) {
      const words = `cut below half: ${share} % of windows up to the cursor`;
      items.push(el("li", { class: "warn" }, el("span", { class: "swatch below" }), words));
    }
    for (const name of families) {
      // Steps stand in the key already, with their shades.
      if (name === "ahead" || name === "step") continue;
      items.push(el("li", { title: family(name).about }, `${family(name).glyph} ${family(name).name}`));
    }
    if (families.length > 0) items.push(el("li", { class: "note" }, "signs stand where bars leave room for them"));
    this.key.replaceChildren(...items);
  }

  private paint(plot: uPlot, stage: Stage, side: Side): void {
    const pen = plot.ctx;
    const scale = window.devicePixelRatio;
    const { left, top, width, height } = plot.bbox;
    const full = color(`--${side.letter}-bar`);
    const panel = color("--panel");
    const warn = color("--warn");
    const ink = color("--ink");
    const below = hatch(pen, warn, panel, Math.round(6 * scale));
    const base = plot.valToPos(0, "y", true);
    const current = side.player.decisionIndex;
    pen.save();
    pen.beginPath();
    pen.rect(left, top, width, height);
    pen.clip();
    pen.textAlign = "center";
    pen.textBaseline = "bottom";
    pen.font = `${9 * scale}px 'Inter Variable', system-ui, sans-serif`;
    if (this.columns !== undefined) {
      this.paintColumns(plot, this.columns, full, warn);
      this.paintCursor(plot, stage, side, ink, scale);
      pen.restore();
      return;
    }
    let glyphsFrom = Number.NEGATIVE_INFINITY;
    for (const bar of this.bars) {
      const x0 = plot.valToPos(bar.x0, "x", true);
      const x1 = Math.max(x0 + scale, plot.valToPos(bar.x1, "x", true));
      const y = plot.valToPos(bar.size, "y", true);
      const gap = x1 - x0 > 4 * scale ? scale : 0;
      const lit = stage.lit !== undefined && this.isLit(side, bar, stage);
      if (bar.size > 0) {
        const marker = plot.valToPos(bar.size - bar.async_size, "y", true);
        pen.fillStyle = bar.belowHalf ? (x1 - x0 > 5 * scale ? below : warn) : full;
        pen.fillRect(x0, y, x1 - x0 - gap, marker - y);
        if (marker < base) {
          pen.globalAlpha = 0.28;
          pen.fillRect(x0, marker, x1 - x0 - gap, base - marker);
          pen.globalAlpha = 1;
          if (x1 - x0 > 4 * scale) {
            pen.strokeStyle = full;
            pen.lineWidth = scale;
            pen.strokeRect(x0 + scale / 2, marker, x1 - x0 - gap - scale, base - marker);
          }
        }
      }
      if (bar.place === current || lit || bar === this.hovered) {
        pen.strokeStyle = ink;
        pen.lineWidth = 1.5 * scale;
        pen.strokeRect(x0, y, Math.max(2 * scale, x1 - x0 - gap), Math.max(scale, base - y));
      }
      const middle = (x0 + x1) / 2;
      if (middle - glyphsFrom >= GLYPH_ROOM * scale && x1 - x0 >= 5 * scale) {
        pen.fillStyle = bar.belowHalf ? warn : color("--ink-2");
        pen.fillText(family(bar.family).glyph, middle, y - 2 * scale);
        glyphsFrom = middle;
      }
    }
    this.paintCursor(plot, stage, side, ink, scale);
    pen.restore();
  }

  private paintColumns(plot: uPlot, columns: FigureBars, full: string, warn: string): void {
    const base = plot.valToPos(0, "y", true);
    for (const bar of columns.bars) {
      const x0 = plot.valToPos(bar.x0, "x", true);
      const x1 = plot.valToPos(bar.x1, "x", true);
      const y = plot.valToPos(bar.y, "y", true);
      plot.ctx.fillStyle = bar.tone === "warning" ? warn : full;
      plot.ctx.globalAlpha = bar.tone === "full" ? 1 : 0.75;
      const mark = 1.5 * window.devicePixelRatio;
      if (bar.x1 > bar.x0) plot.ctx.fillRect(x0, y, Math.max(1, x1 - x0), base - y);
      else plot.ctx.fillRect(x0 - mark, y - mark, 2 * mark, 2 * mark);
    }
    plot.ctx.globalAlpha = 1;
  }

  /** The moment, or the place of the reader. */
  private paintCursor(plot: uPlot, stage: Stage, side: Side, ink: string, scale: number): void {
    const at = stage.view.axis === "time" ? stage.clock.at : (side.player.state.reader.page + 0.5) * 4096;
    const x = plot.valToPos(at, "x", true);
    const pen = plot.ctx;
    pen.strokeStyle = ink;
    pen.lineWidth = scale;
    pen.setLineDash([3 * scale, 3 * scale]);
    pen.beginPath();
    pen.moveTo(x, plot.bbox.top);
    pen.lineTo(x, plot.bbox.top + plot.bbox.height);
    pen.stroke();
    pen.setLineDash([]);
  }

  private isLit(side: Side, bar: Bar, stage: Stage): boolean {
    const decision = side.store.decisions[bar.place]?.decision;
    const window = decision?.window;
    if (decision === undefined || window === undefined || window === null || stage.lit === undefined) return false;
    const { file, first, pages } = stage.lit;
    return decision.file === file && first < window.start + window.size && first + pages > window.start;
  }

  private point(plot: uPlot, stage: Stage, side: Side): void {
    const { left } = plot.cursor;
    const before = this.hovered;
    this.hovered = undefined;
    if (left !== undefined && left !== null && left >= 0) {
      const x = plot.posToVal(left, "x");
      for (const bar of this.bars) {
        if (bar.x0 <= x && x <= Math.max(bar.x1, bar.x0 + plot.posToVal(2, "x") - plot.posToVal(0, "x")))
          this.hovered = bar;
      }
    }
    if (this.hovered?.place === before?.place) return;
    const point = this.hovered === undefined ? undefined : side.store.decisions[this.hovered.place];
    if (point === undefined) {
      setText(this.reading, "");
      stage.light(undefined);
      return;
    }
    const { decision } = point;
    const { window } = decision;
    const what =
      window === null
        ? "nothing to read"
        : `${format.count(window.size)} pages at page ${format.count(window.start)}${partInWords(side.kernel, window)}`;
    setText(
      this.reading,
      `Decision ${decision.id} at ${format.time(point.at)}: ${what} · ${family(familyOf(decision)).name}`,
    );
    stage.light(window === null ? undefined : { file: decision.file, first: window.start, pages: window.size });
  }
}

/** A family with its sign. */
function signed(name: FamilyName): string {
  return `${family(name).glyph} ${family(name).name}`;
}

/** Steps of an x axis: 1, 2, 5 of time; powers of two of bytes. */
function increments(axis: Axis): number[] {
  const steps: number[] = [];
  if (axis === "time") {
    for (let power = 1; power <= 1e12; power *= 10) steps.push(power, 2 * power, 5 * power);
  } else {
    for (let step = 4096; step <= 2 ** 45; step *= 2) steps.push(step);
  }
  return steps;
}
