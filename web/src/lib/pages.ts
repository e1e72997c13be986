// The page cache of one file as arrays, one cell a page: what state it is in, where folios begin, where markers are.
// Knows nothing of time or of the page that draws it.

/** What a page is. The numbers are the values in the arrays. */
export const Page = {
  Absent: 0,
  InFlight: 1,
  Ready: 2,
  Used: 3,
  EvictedUnused: 4,
  EvictedUsed: 5,
} as const;

/** The words of a state, for texts and labels. */
export const PAGE_WORDS = [
  "absent",
  "in flight",
  "read ahead, not yet used",
  "used",
  "evicted before use",
  "evicted after use",
] as const;

const FOLIO_FIRST = 1;
const MARKER = 2;

/** The pages of one file. */
export class FilePages {
  private state = new Uint8Array(0);
  private flags = new Uint8Array(0);
  /** Pages known so far: one past the last page ever touched. */
  length = 0;

  private reserve(pages: number): void {
    if (pages > this.state.length) {
      const capacity = Math.max(pages, this.state.length * 2, 1024);
      const state = new Uint8Array(capacity);
      const flags = new Uint8Array(capacity);
      state.set(this.state);
      flags.set(this.flags);
      this.state = state;
      this.flags = flags;
    }
    this.length = Math.max(this.length, pages);
  }

  stateOf(page: number): number {
    return this.state[page] ?? Page.Absent;
  }

  isFolioFirst(page: number): boolean {
    return ((this.flags[page] ?? 0) & FOLIO_FIRST) !== 0;
  }

  isMarker(page: number): boolean {
    return ((this.flags[page] ?? 0) & MARKER) !== 0;
  }

  addFolio(first: number, pages: number, marked: boolean): void {
    this.reserve(first + pages);
    this.state.fill(Page.InFlight, first, first + pages);
    this.flags.fill(0, first, first + pages);
    this.flags[first] = FOLIO_FIRST | (marked ? MARKER : 0);
  }

  /** Takes a folio out; returns how many of its pages were never used. */
  removeFolio(first: number, pages: number): number {
    this.reserve(first + pages);
    let unused = 0;
    for (let page = first; page < first + pages; page += 1) {
      const used = this.state[page] === Page.Used;
      if (!used) unused += 1;
      this.state[page] = used ? Page.EvictedUsed : Page.EvictedUnused;
    }
    this.flags.fill(0, first, first + pages);
    return unused;
  }

  clearMarker(first: number): void {
    this.reserve(first + 1);
    this.flags[first] = (this.flags[first] ?? 0) & ~MARKER;
  }

  /** The device delivered these pages. */
  arrived(first: number, pages: number): void {
    this.reserve(first + pages);
    for (let page = first; page < first + pages; page += 1) {
      if (this.state[page] === Page.InFlight) this.state[page] = Page.Ready;
    }
  }

  /** The program read these pages; returns how many of them for the first time. */
  use(first: number, pages: number): number {
    this.reserve(first + pages);
    let fresh = 0;
    for (let page = first; page < first + pages; page += 1) {
      if (this.state[page] !== Page.Used) fresh += 1;
      this.state[page] = Page.Used;
    }
    return fresh;
  }

  clone(): FilePages {
    const copy = new FilePages();
    copy.state = this.state.slice(0, this.length);
    copy.flags = this.flags.slice(0, this.length);
    copy.length = this.length;
    return copy;
  }
}
