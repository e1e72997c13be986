// A figure as the service sends it in columns, for a run that is too large for this page: its bars and marks, checked.
// Knows nothing of the chart that draws them.

/** One bar of a figure, or one mark: then it has no width. */
export interface FigureBar {
  x0: number;
  x1: number;
  y: number;
  /** How it is drawn: full, pale, or as a warning. */
  tone: "full" | "pale" | "warning";
}

/** The bars of a figure's first panel. */
export interface FigureBars {
  from: number;
  to: number;
  top: number;
  bars: FigureBar[];
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && name in value ? Reflect.get(value, name) : undefined;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function numbers(value: unknown): number[] {
  return list(value).filter((one) => typeof one === "number");
}

function toneOf(role: unknown): FigureBar["tone"] {
  if (role === "warning") return "warning";
  return role === "ahead" || role === "side_a_faint" || role === "side_b_faint" ? "pale" : "full";
}

/** The bars and marks of the first panel, back to front; undefined when the value is no figure. */
export function barsOf(value: unknown): FigureBars | undefined {
  const x = field(value, "x");
  const [from, to] = [field(x, "min"), field(x, "max")];
  const panel = list(field(value, "panels"))[0];
  const top = field(field(panel, "y"), "max");
  if (typeof from !== "number" || typeof to !== "number" || typeof top !== "number") return undefined;
  const bars: FigureBar[] = [];
  for (const series of list(field(panel, "series"))) {
    const shape = field(series, "shape");
    if (shape !== "bars" && shape !== "points") continue;
    const [x0, x1, y] = [numbers(field(series, "x")), numbers(field(series, "x_end")), numbers(field(series, "y"))];
    const tone = toneOf(field(series, "role"));
    for (const [place, left] of x0.entries()) bars.push({ x0: left, x1: x1[place] ?? left, y: y[place] ?? 0, tone });
  }
  return { from, to, top, bars };
}
