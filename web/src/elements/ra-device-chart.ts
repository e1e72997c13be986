// The device over time: requests in it, and bytes delivered a second. All sides of the stage in one chart, told apart by
// colour, dash and letter.

import uPlot from "uplot";
import { color, onScheme } from "../colors.ts";
import { el } from "../dom.ts";
import type { Columns } from "../lib/device.ts";
import * as format from "../lib/format.ts";
import { type Side, type Stage, stageOf } from "./ra-stage.ts";

const HEIGHT = 128;
const BINS = 60;

interface Chart {
  title: string;
  values: (value: number) => string;
  /** Steps of the y axis. */
  steps: number[];
  columns: (side: Side, from: number, to: number, px: number) => Columns;
  box: HTMLElement;
  plot: uPlot | undefined;
}

export class DeviceChart extends HTMLElement {
  private stop: Array<() => void> = [];
  private span = { from: 0, to: 1 };
  private readonly charts: Chart[] = [
    {
      title: "Requests in the device",
      values: (value) => format.count(value),
      steps: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
      columns: (side, from, to, px) => side.device.depthColumns(from, to, px),
      box: el("div", { class: "plot", role: "img" }),
      plot: undefined,
    },
    {
      title: "Delivered by the device",
      values: (value) => (value === 0 ? "0" : format.rate(value)),
      steps: Array.from({ length: 40 }, (_, power) => 2 ** power),
      columns: (side, from, to) => side.device.throughputColumns(from, to, BINS),
      box: el("div", { class: "plot", role: "img" }),
      plot: undefined,
    },
  ];

  connectedCallback(): void {
    const stage = stageOf(this);
    const parts = this.charts.flatMap((chart) => [el("p", { class: "note" }, chart.title), chart.box]);
    this.replaceChildren(...parts);
    this.build(stage);
    const observer = new ResizeObserver(() => {
      for (const chart of this.charts) {
        chart.plot?.setSize({ width: Math.max(160, chart.box.clientWidth), height: HEIGHT });
      }
      stage.invalidate();
    });
    observer.observe(this);
    this.stop = [
      () => observer.disconnect(),
      onScheme(() => {
        this.build(stage);
        stage.invalidate();
      }),
      stage.onDraw(() => this.draw(stage)),
    ];
  }

  disconnectedCallback(): void {
    for (const stop of this.stop) stop();
    for (const chart of this.charts) chart.plot?.destroy();
  }

  private build(stage: Stage): void {
    const ink = color("--ink-2");
    const rule = color("--rule");
    const font = "11px 'Inter Variable', system-ui, sans-serif";
    const stepped = uPlot.paths.stepped?.({ align: 1 });
    for (const chart of this.charts) {
      chart.plot?.destroy();
      chart.plot = new uPlot(
        {
          width: Math.max(160, chart.box.clientWidth),
          height: HEIGHT,
          scales: {
            x: { time: false, range: () => [this.span.from, this.span.to] },
            y: { range: (_plot, _low, high) => [0, Math.max(1, (high ?? 1) * 1.1)] },
          },
          series: [
            {},
            ...stage.sides.map(
              (side): uPlot.Series => ({
                stroke: color(`--${side.letter}`),
                width: 1.25,
                points: { show: false },
                spanGaps: true,
                ...(side.letter === "b" ? { dash: [5, 3] } : {}),
                ...(stepped === undefined ? {} : { paths: stepped }),
              }),
            ),
          ],
          axes: [
            {
              stroke: ink,
              font,
              size: 26,
              space: 74,
              grid: { show: false },
              ticks: { stroke: rule, size: 4 },
              values: (_plot, splits) => splits.map((value) => (value === 0 ? "0" : format.time(value))),
            },
            {
              stroke: ink,
              font,
              size: 72,
              space: 24,
              grid: { stroke: rule, width: 1 },
              ticks: { show: false },
              incrs: chart.steps,
              values: (_plot, splits) => splits.map((value) => chart.values(value)),
            },
          ],
          cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
          legend: { show: false },
          hooks: { draw: [(plot) => this.paintCursor(plot, stage)] },
        },
        [[0], ...stage.sides.map(() => [0])],
        chart.box,
      );
      chart.plot.over.addEventListener("click", () => {
        const { plot } = chart;
        if (plot?.cursor.left !== undefined && plot.cursor.left >= 0) stage.seek(plot.posToVal(plot.cursor.left, "x"));
      });
    }
  }

  private draw(stage: Stage): void {
    this.span = stage.timeSpan();
    const { from, to } = this.span;
    const until = Math.min(to, Math.max(from, stage.clock.at));
    for (const chart of this.charts) {
      if (chart.plot === undefined) continue;
      const px = chart.box.clientWidth;
      const tables = stage.sides.map((side): uPlot.AlignedData => {
        const end = Math.max(from, Math.min(until, side.store.endAt));
        const { x, y } = chart.columns(side, from, end, px);
        return [x, y];
      });
      chart.plot.setData(uPlot.join(tables));
      if (!stage.clock.playing) chart.box.setAttribute("aria-label", this.describe(chart, stage, tables));
    }
  }

  private describe(chart: Chart, stage: Stage, tables: readonly uPlot.AlignedData[]): string {
    const sides = stage.sides.map((side, place) => {
      const values = (tables[place]?.[1] ?? []) as number[];
      const high = values.length > 0 ? Math.max(...values) : 0;
      return `${stage.sides.length > 1 ? `${side.letter.toUpperCase()}: ` : ""}highest ${chart.values(high)}`;
    });
    return `${chart.title} over time, up to ${format.time(stage.clock.at)}. ${sides.join("; ")}.`;
  }

  private paintCursor(plot: uPlot, stage: Stage): void {
    const x = plot.valToPos(stage.clock.at, "x", true);
    const pen = plot.ctx;
    const scale = window.devicePixelRatio;
    pen.save();
    pen.strokeStyle = color("--ink");
    pen.lineWidth = scale;
    pen.setLineDash([3 * scale, 3 * scale]);
    pen.beginPath();
    pen.moveTo(x, plot.bbox.top);
    pen.lineTo(x, plot.bbox.top + plot.bbox.height);
    pen.stroke();
    pen.restore();
  }
}
