// One event as one line of text, in the manner of tracepoints, and the kinds by which a log is filtered.
// The export of a run is the exact text; these lines are for reading along. Knows nothing of the page.

import type { LabEvent } from "./events.ts";

/** Kinds of lines that can be shown or hidden together. */
export const KINDS = ["decision", "page cache", "block", "call", "sleep"] as const;

/** One of them. */
export type Kind = (typeof KINDS)[number];

/** The kind of an event. */
export function kindOf(event: LabEvent): Kind {
  switch (event.event) {
    case "decided":
      return "decision";
    case "plain_run":
    case "folio_added":
    case "folio_removed":
    case "marker_cleared":
    case "get_pages":
    case "fault":
    case "map_pages":
    case "used":
    case "drop_caches":
      return "page cache";
    case "bio_queued":
    case "split":
    case "back_merged":
    case "front_merged":
    case "get_request":
    case "plugged":
    case "unplugged":
    case "issued":
    case "completed":
      return "block";
    case "wait":
    case "wake":
      return "sleep";
    default:
      return "call";
  }
}

const rwbs = (ahead: boolean): string => (ahead ? "RA" : "R");

/** What stands behind the time stamp. */
export function textOf(event: LabEvent): string {
  switch (event.event) {
    case "open":
      return `open: file=${event.file} handle=${event.handle}`;
    case "close":
      return `close: file=${event.file} handle=${event.handle}`;
    case "read":
      return `sys_read: file=${event.file} pos=${event.pos} count=${event.len}`;
    case "read_done":
      return `sys_read: file=${event.file} pos=${event.pos} -> ${event.len} after ${event.latency} ns`;
    case "lseek":
      return `sys_lseek: file=${event.file} pos=${event.pos}`;
    case "fadvise":
      return `sys_fadvise64: file=${event.file} pos=${event.pos} len=${event.len} advice=${event.advice}`;
    case "readahead":
      return `sys_readahead: file=${event.file} pos=${event.pos} count=${event.len}`;
    case "mmap":
      return `sys_mmap: file=${event.file} advice=${event.advice}${event.exec ? " exec" : ""}`;
    case "touch":
      return `touch: file=${event.file} page=${event.page}`;
    case "touch_done":
      return `touch: file=${event.file} page=${event.page} -> ${event.major ? "major fault" : "done"} after ${event.latency} ns`;
    case "drop_caches":
      return "drop_caches";
    case "decided": {
      const { decision: d } = event;
      const ask = `${d.via} file=${d.file} index=${d.index} req_count=${d.req}`;
      const w = d.window;
      return w === null
        ? `readahead: ${ask} -> nothing`
        : `readahead: ${ask} -> index=${w.start} order=${w.order} size=${w.size} async_size=${w.async_size}`;
    }
    case "plain_run":
      return `page_cache_ra_unbounded: file=${event.file} index=${event.index} nr_to_read=${event.pages} lookahead_size=${event.lookahead}`;
    case "folio_added": {
      const more = (event.count ?? 1) > 1 ? ` × ${event.count}` : "";
      return `mm_filemap_add_to_page_cache: file=${event.file} ofs=${event.first * 4096} order=${event.order}${more}${event.marked ? " marker" : ""}`;
    }
    case "folio_removed":
      return `mm_filemap_delete_from_page_cache: file=${event.file} ofs=${event.first * 4096} order=${event.order} used=${event.used}${event.reclaimed ? " reclaimed" : ""}`;
    case "marker_cleared":
      return `marker met and cleared: file=${event.file} index=${event.first}`;
    case "get_pages":
      return `mm_filemap_get_pages: file=${event.file} ofs=${event.first}-${event.last}`;
    case "fault":
      return `mm_filemap_fault: file=${event.file} ofs=${event.page * 4096}`;
    case "map_pages":
      return `mm_filemap_map_pages: file=${event.file} ofs=${event.first * 4096}-${(event.last + 1) * 4096 - 1}`;
    case "used":
      return `used: file=${event.file} index=${event.first} pages=${event.pages}`;
    case "wait":
      return `sleeps until page ${event.page} is uptodate`;
    case "wake":
      return `runs again after ${event.waited} ns: page ${event.page} is uptodate`;
    case "bio_queued":
      return `block_bio_queue: ${rwbs(event.ahead)} ${event.sector} + ${event.sectors}`;
    case "split":
      return `block_split: ${rwbs(event.ahead)} ${event.sector} / ${event.rest}`;
    case "back_merged":
      return `block_bio_backmerge: ${rwbs(event.ahead)} ${event.sector} + ${event.sectors}`;
    case "front_merged":
      return `block_bio_frontmerge: ${rwbs(event.ahead)} ${event.sector} + ${event.sectors}`;
    case "get_request":
      return `block_getrq: ${rwbs(event.ahead)} ${event.sector} + ${event.sectors}`;
    case "plugged":
      return "block_plug";
    case "unplugged":
      return `block_unplug: ${event.requests}`;
    case "issued":
      return `block_rq_issue: ${rwbs(event.ahead)} ${event.sectors * 512} () ${event.sector} + ${event.sectors} depth=${event.depth}`;
    case "completed":
      return `block_rq_complete: ${rwbs(event.ahead)} () ${event.sector} + ${event.sectors} depth=${event.depth}`;
    case "task_done":
      return "the program has run to its end";
  }
}

/** The time stamp as trace lines have it: seconds with microseconds. */
export function stampOf(event: LabEvent): string {
  return (event.at_ns / 1e9).toFixed(6);
}

/** Which pages an event is about, when it is about pages. */
export function pagesOf(event: LabEvent): { file: number; first: number; pages: number } | undefined {
  switch (event.event) {
    case "decided": {
      const { window, file, index } = event.decision;
      return window === null
        ? { file, first: index, pages: 1 }
        : { file, first: window.start, pages: Math.max(1, window.size) };
    }
    case "folio_added":
      return { file: event.file, first: event.first, pages: 2 ** event.order * (event.count ?? 1) };
    case "folio_removed":
      return { file: event.file, first: event.first, pages: 2 ** event.order };
    case "used":
      return { file: event.file, first: event.first, pages: event.pages };
    case "issued":
    case "completed":
      return {
        file: event.file,
        first: Math.floor(event.offset / 4096),
        pages: Math.max(1, Math.ceil((event.sectors * 512) / 4096)),
      };
    default:
      return undefined;
  }
}
