// Numbers as a person reads them: thousands separators, KiB and MiB, times with three digits and their unit.
// Knows nothing of the page.

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A whole number with thousands separators. */
export function count(value: number): string {
  return grouped.format(value);
}

/** A sentence whose whole numbers of four and more digits get thousands separators, as they stand around it. */
export function sentence(text: string): string {
  return text.replace(/(?<![\w.^])\d{4,}(?!\w|\.\d)/g, (digits) => count(Number(digits)));
}

/** Three significant digits without trailing noise. */
function three(value: number): string {
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 3));
}

/** Bytes in B, KiB, MiB, GiB; whole numbers stay whole. */
export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let scaled = value;
  while (Math.abs(scaled) >= 1024 && unit < units.length - 1) {
    scaled /= 1024;
    unit += 1;
  }
  const text = Number.isInteger(scaled) ? count(scaled) : scaled >= 1000 ? count(scaled) : three(scaled);
  return `${text} ${units[unit]}`;
}

/** A time in the unit that keeps three digits. */
export function time(ns: number): string {
  const size = Math.abs(ns);
  if (size < 1e3) return `${count(ns)} ns`;
  if (size < 1e6) return `${three(ns / 1e3)} µs`;
  if (size < 1e9) return `${three(ns / 1e6)} ms`;
  return `${three(ns / 1e9)} s`;
}

/** A position in time on a scale that is as long as `span_ns`: fixed decimals, so that it does not jump about. */
export function position(ns: number, span_ns: number): string {
  if (span_ns < 1e6) return `${(ns / 1e3).toFixed(2)} µs`;
  if (span_ns < 1e10) return `${(ns / 1e6).toFixed(3)} ms`;
  return `${(ns / 1e9).toFixed(3)} s`;
}

/** Bytes per second. */
export function rate(bytes_per_s: number): string {
  return `${bytes(bytes_per_s)}/s`;
}

/** The size of a folio of this order. */
export function folioSize(order: number): string {
  return bytes(4096 * 2 ** order);
}

/** A change from `a` to `b` in per cent, with its sign. */
export function change(a: number, b: number): string {
  if (a === b) return "same";
  if (a === 0) return "—";
  const percent = (100 * (b - a)) / a;
  const text = Math.abs(percent) < 10 ? Math.abs(percent).toFixed(1) : Math.abs(percent).toFixed(0);
  return `${percent < 0 ? "−" : "+"}${text} %`;
}
