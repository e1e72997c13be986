// Colours of the design tokens as a canvas needs them, resolved for the scheme in force.

let probe: HTMLElement | undefined;

/** The colour of a token such as "--ink", as CSS text that a canvas takes. */
export function color(token: string): string {
  if (probe === undefined) {
    probe = document.createElement("span");
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(${token})`;
  return getComputedStyle(probe).color;
}

const listeners = new Set<() => void>();
const dark = matchMedia("(prefers-color-scheme: dark)");

/** Calls back when the colours have changed. Returns the function that ends it. */
export function onScheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Tells everyone that the colours have changed. */
export function schemeChanged(): void {
  for (const listener of listeners) listener();
}

dark.addEventListener("change", schemeChanged);

/** Whether the dark scheme is in force. */
export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen === undefined ? dark.matches : chosen === "dark";
}

/** A pattern of slanted lines, the second cue of "in flight" and "below half". */
export function hatch(
  context: CanvasRenderingContext2D,
  ground: string,
  line: string,
  step = 6,
): CanvasPattern | string {
  const tile = document.createElement("canvas");
  tile.width = step;
  tile.height = step;
  const pen = tile.getContext("2d");
  if (pen === null) return ground;
  pen.fillStyle = ground;
  pen.fillRect(0, 0, step, step);
  pen.strokeStyle = line;
  pen.lineWidth = Math.max(1, step / 5);
  pen.beginPath();
  for (const shift of [-step, 0, step]) {
    pen.moveTo(shift, step);
    pen.lineTo(shift + step, 0);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat") ?? ground;
}
