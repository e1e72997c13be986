// The state of a run after a number of its events: pages, requests in the device, counters, where each reader stands.
// Moves forward one event at a time and can be copied. Knows nothing of wall time or of the page.

import { isWindow, type LabEvent } from "./events.ts";
import { FilePages } from "./pages.ts";

const PAGE_BYTES = 4096;
const SECTOR_BYTES = 512;

/** What has been counted up to a moment. */
export interface Counters {
  device_reads: number;
  device_read_bytes: number;
  decisions: number;
  windows: number;
  below_half: number;
  trimmed_pages: number;
  pages_added: number;
  pages_used: number;
  evicted_unused: number;
  waits: number;
  wait_ns: number;
  reads_done: number;
  read_bytes: number;
  faults: number;
}

function noCounters(): Counters {
  return {
    device_reads: 0,
    device_read_bytes: 0,
    decisions: 0,
    windows: 0,
    below_half: 0,
    trimmed_pages: 0,
    pages_added: 0,
    pages_used: 0,
    evicted_unused: 0,
    waits: 0,
    wait_ns: 0,
    reads_done: 0,
    read_bytes: 0,
    faults: 0,
  };
}

/** Where a task reads. */
export interface Reader {
  file: number;
  page: number;
}

/** A run after some of its events. */
export class RunState {
  files = new Map<number, FilePages>();
  readers = new Map<number, Reader>();
  counters = noCounters();
  /** Pages added, by folio order. */
  folioPages: number[] = Array(16).fill(0);
  /** Requests in the device. */
  depth = 0;
  /** The task that acted last. */
  lastTask = 0;

  file(id: number): FilePages {
    let pages = this.files.get(id);
    if (pages === undefined) {
      pages = new FilePages();
      this.files.set(id, pages);
    }
    return pages;
  }

  /** The reader of the task that acted last. */
  get reader(): Reader {
    return this.readers.get(this.lastTask) ?? { file: 0, page: 0 };
  }

  private stands(task: number, file: number, page: number): void {
    this.readers.set(task, { file, page });
    this.lastTask = task;
  }

  apply(event: LabEvent): void {
    const c = this.counters;
    switch (event.event) {
      case "read":
        this.stands(event.task, event.file, Math.floor(event.pos / PAGE_BYTES));
        break;
      case "read_done":
        c.reads_done += 1;
        c.read_bytes += event.len;
        break;
      case "touch":
        this.stands(event.task, event.file, event.page);
        break;
      case "fault":
        c.faults += 1;
        break;
      case "used":
        c.pages_used += this.file(event.file).use(event.first, event.pages);
        this.stands(event.task, event.file, event.first + event.pages - 1);
        break;
      case "decided":
        c.decisions += 1;
        if (isWindow(event.decision)) {
          c.windows += 1;
          if (event.decision.below_half) c.below_half += 1;
          c.trimmed_pages += event.decision.trimmed_pages;
        }
        break;
      case "folio_added": {
        const pages = 2 ** event.order;
        const count = event.count ?? 1;
        const file = this.file(event.file);
        for (let folio = 0; folio < count; folio += 1) file.addFolio(event.first + folio * pages, pages, event.marked);
        c.pages_added += pages * count;
        this.folioPages[event.order] = (this.folioPages[event.order] ?? 0) + pages * count;
        break;
      }
      case "folio_removed":
        c.evicted_unused += this.file(event.file).removeFolio(event.first, 2 ** event.order);
        break;
      case "marker_cleared":
        this.file(event.file).clearMarker(event.first);
        break;
      case "wait":
        c.waits += 1;
        break;
      case "wake":
        c.wait_ns += event.waited;
        break;
      case "issued":
        c.device_reads += 1;
        c.device_read_bytes += event.sectors * SECTOR_BYTES;
        this.depth = event.depth;
        break;
      case "completed":
        this.depth = event.depth;
        this.file(event.file).arrived(
          Math.floor(event.offset / PAGE_BYTES),
          Math.ceil((event.sectors * SECTOR_BYTES) / PAGE_BYTES),
        );
        break;
      default:
        break;
    }
  }

  clone(): RunState {
    const copy = new RunState();
    for (const [id, pages] of this.files) copy.files.set(id, pages.clone());
    for (const [task, reader] of this.readers) copy.readers.set(task, { ...reader });
    copy.counters = { ...this.counters };
    copy.folioPages = [...this.folioPages];
    copy.depth = this.depth;
    copy.lastTask = this.lastTask;
    return copy;
  }

  /** Memory that a copy takes, roughly. */
  get bytes(): number {
    let bytes = 1024;
    for (const pages of this.files.values()) bytes += 2 * pages.length;
    return bytes;
  }
}
