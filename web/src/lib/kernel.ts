// What the kernel of a run has: which fields its state of an open file keeps, and whether its windows carry a marker.
// Knows models and patches by their names only.

import type { Old24, RaState, Window } from "./events.ts";
import * as format from "./format.ts";

/** A kernel as the page names it: `MODEL` or `MODEL+PATCH…`. */
export interface Kernel {
  model: string;
  patches: readonly string[];
}

/** The only generation without a marker. */
const WITHOUT_MARKER = "linux-2.4";
/** The generations whose open files remember a folio order. */
const WITH_ORDER = ["linux-7."];

export function kernelOf(text: string): Kernel {
  const [model = "", ...patches] = text.split("+");
  return { model, patches };
}

/** Whether windows carry a marker; otherwise they are steps, synchronous or asynchronous. */
export function hasMarker(kernel: Kernel): boolean {
  return !kernel.model.startsWith(WITHOUT_MARKER);
}

/** Whether a window is handed over with a folio order. */
export function hasFolios(kernel: Kernel): boolean {
  return kernel.model.startsWith("linux-6.") || hasOrder(kernel);
}

function hasOrder(kernel: Kernel): boolean {
  return WITH_ORDER.some((start) => kernel.model.startsWith(start));
}

/** A field of the state: its name, what it counts, its value. */
export interface StateRow {
  name: string;
  unit: string;
  value: (state: RaState) => number | string;
}

const FRESH: Old24 = { raend: 0, ralen: 0, ramax: 0, rawin: 0, reada: false };

function old(name: Exclude<keyof Old24, "reada">, unit: string): StateRow {
  return { name, unit, value: (state) => (state.old ?? FRESH)[name] };
}

const OLD_ROWS: readonly StateRow[] = [
  old("raend", "page"),
  old("ralen", "pages"),
  old("ramax", "pages"),
  old("rawin", "pages"),
  { name: "reada", unit: "a read since the last seek", value: (state) => ((state.old ?? FRESH).reada ? "yes" : "no") },
];

/** The rows of the state that this kernel's open files have. */
export function stateRows(kernel: Kernel): readonly StateRow[] {
  if (!hasMarker(kernel)) return OLD_ROWS;
  const on = (patch: string): boolean => kernel.patches.includes(patch);
  const flag = (set: boolean | undefined): string => (set === true ? "set" : "—");
  const rows: StateRow[] = [
    { name: "start", unit: "page", value: (state) => state.start },
    { name: "size", unit: "pages", value: (state) => state.size },
    { name: "async_size", unit: "pages", value: (state) => state.async_size },
  ];
  if (hasOrder(kernel)) rows.push({ name: "order", unit: "pages = 2^order", value: (state) => state.order });
  rows.push(
    { name: "ra_pages", unit: "pages", value: (state) => state.ra_pages },
    { name: "mmap_miss", unit: "misses", value: (state) => state.mmap_miss },
    { name: "prev_pos", unit: "bytes", value: (state) => state.prev_pos },
  );
  if (on("patterns")) rows.push({ name: "pattern", unit: "", value: (state) => state.pattern ?? "initial" });
  if (on("thrashing-safe")) rows.push({ name: "THRASHED", unit: "flag", value: (state) => flag(state.thrashed) });
  if (on("patterns")) rows.push({ name: "MMAP", unit: "flag", value: (state) => flag(state.faulted) });
  if (on("lseek-flag")) rows.push({ name: "LSEEK", unit: "flag", value: (state) => flag(state.moved) });
  return rows;
}

/** What a window has behind its marker, and its folio order, as far as this kernel has either; otherwise nothing. */
export function partInWords(kernel: Kernel, window: Window): string {
  if (!hasMarker(kernel)) return "";
  const order = hasFolios(kernel) ? `, order ${window.order}` : "";
  return `, ${format.count(window.async_size)} behind the marker${order}`;
}
