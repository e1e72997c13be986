// The families of Reasons: a shape and a name for each, so that a mark on a chart says which kind of branch was taken.
// Knows nothing of the page.

import type { Decision } from "./events.ts";

/** A family of Reasons. */
export interface Family {
  name: string;
  glyph: string;
  about: string;
}

const FAMILIES = {
  start: { name: "start of file", glyph: "●", about: "the first page of the file is missing: a new stream" },
  sequential: { name: "sequential miss", glyph: "■", about: "the missing page follows the last read" },
  oversize: { name: "oversize request", glyph: "◆", about: "the request is larger than the limit" },
  history: { name: "history in the cache", glyph: "◧", about: "cached pages in front of the miss say it is a stream" },
  random: { name: "small random read", glyph: "×", about: "neither sequential nor with history: read as it is" },
  marker: { name: "marker met", glyph: "▲", about: "the marker that the last window left: the next window follows it" },
  stray: { name: "marker of another window", glyph: "△", about: "the window begins at the next gap" },
  fault: { name: "page fault", glyph: "▽", about: "read around a fault in a mapping" },
  forced: { name: "asked for in advance", glyph: "▷", about: "fadvise, readahead(2), random mode or readahead off" },
  single: { name: "single page", glyph: "·", about: "one page or folio read by itself" },
  thrashed: { name: "thrashed", glyph: "✶", about: "a page of the last window was lost before it was used" },
  step: { name: "synchronous step", glyph: "■", about: "the reader met a page that is still being read" },
  ahead: { name: "asynchronous step", glyph: "▲", about: "the reader came into the last window: the next one is read" },
  nothing: { name: "nothing to read", glyph: "○", about: "the decision was to read nothing" },
} as const satisfies Record<string, Family>;

/** The name of a family. */
export type FamilyName = keyof typeof FAMILIES;

const BY_CODE: Record<string, FamilyName> = {
  sync_readahead_off: "forced",
  sync_random_file: "forced",
  sync_start_of_file: "start",
  sync_oversize: "oversize",
  sync_sequential: "sequential",
  sync_small_random: "random",
  sync_history: "history",
  sync_history_from_start: "history",
  async_readahead_off: "nothing",
  async_expected: "marker",
  async_unexpected: "stray",
  async_no_gap: "nothing",
  fault_random: "single",
  fault_readahead_off: "single",
  fault_too_many_misses: "single",
  fault_huge: "fault",
  fault_exec: "fault",
  fault_around: "fault",
  fault_around_floor: "fault",
  fault_marker_random: "nothing",
  fault_marker_readahead_off: "nothing",
  forced: "forced",
  forced_cut: "forced",
  single_page: "single",
  page_past_end: "single",
  sync_no_readahead: "nothing",
  sync_expected: "sequential",
  sync_window_end: "sequential",
  sync_no_history: "random",
  async_start_of_file: "start",
  async_window_end: "marker",
  async_past_cached: "stray",
  sync_start_after_seek: "start",
  context_miss: "history",
  context_marker: "history",
  context_enough: "nothing",
  context_random: "random",
  context_thrashed: "thrashed",
  fault_no_memory: "nothing",
  old_sync: "step",
  old_async: "ahead",
  old_cluster: "fault",
  old_cluster_ahead: "fault",
};

/** The family of a decision. A code that this page does not know yet counts by whether it reads anything. */
export function familyOf(decision: Pick<Decision, "reason" | "window">): FamilyName {
  return BY_CODE[decision.reason.code] ?? (decision.window === null ? "nothing" : "single");
}

/** What a family is. */
export function family(name: FamilyName): Family {
  return FAMILIES[name];
}
