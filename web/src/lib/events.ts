// What a run records, as the service sends it: the shapes, and the check that a value has one of them.
// Knows nothing of the page, of time or of what the events mean.

/** Readahead state of an open file, in pages. */
export interface RaState {
  start: number;
  size: number;
  async_size: number;
  ra_pages: number;
  order: number;
  mmap_miss: number;
  prev_pos: number;
  /** Flags and pattern of the 2010 series; absent while unset. */
  thrashed?: boolean;
  faulted?: boolean;
  moved?: boolean;
  pattern?: string;
  /** The state of linux-2.4 in place of the rest; absent while nothing was read. */
  old?: Old24;
}

/** Readahead state of an open file in linux-2.4, in pages. */
export interface Old24 {
  raend: number;
  ralen: number;
  ramax: number;
  rawin: number;
  reada: boolean;
}

/** A window, or the run of pages asked for. */
export interface Window {
  start: number;
  size: number;
  async_size: number;
  order: number;
}

/** A branch of the model with the numbers it used. */
export type Coded = { code: string } & Record<string, number | string>;

/** One decision of the readahead code. */
export interface Decision {
  id: number;
  via: string;
  file: number;
  handle: number;
  index: number;
  req: number;
  max: number;
  before: RaState;
  after: RaState;
  window: Window | null;
  reason: Coded;
  trim: Coded;
  trimmed_pages: number;
  below_half: boolean;
  sentence: string;
  /** The 2010 series: why the window was made, in its own words. */
  pattern?: string;
}

const WINDOW_VIAS: readonly string[] = ["sync", "async", "around", "legacy"];

/** Whether the decision hands a readahead window over, and not a run read as it was asked for; the totals count so too. */
export function isWindow(decision: Pick<Decision, "via" | "window">): boolean {
  return decision.window !== null && WINDOW_VIAS.includes(decision.via);
}

/** The number fields that each kind of event must have. */
const FIELDS = {
  open: ["file", "handle"],
  close: ["file", "handle"],
  read: ["file", "handle", "pos", "len"],
  read_done: ["file", "handle", "pos", "len", "latency"],
  lseek: ["file", "handle", "pos"],
  fadvise: ["file", "handle", "pos", "len", "advice"],
  readahead: ["file", "handle", "pos", "len"],
  mmap: ["file", "handle", "advice"],
  touch: ["file", "handle", "page"],
  touch_done: ["file", "handle", "page", "latency"],
  drop_caches: [],
  decided: [],
  plain_run: ["file", "index", "pages", "lookahead"],
  folio_added: ["file", "first", "order"],
  folio_removed: ["file", "first", "order", "used"],
  marker_cleared: ["file", "first"],
  get_pages: ["file", "first", "last"],
  fault: ["file", "page"],
  map_pages: ["file", "first", "last"],
  used: ["file", "first", "pages"],
  wait: ["file", "page"],
  wake: ["file", "page", "waited"],
  bio_queued: ["file", "sector", "sectors"],
  split: ["sector", "rest"],
  back_merged: ["sector", "sectors"],
  front_merged: ["sector", "sectors"],
  get_request: ["sector", "sectors"],
  plugged: [],
  unplugged: ["requests"],
  issued: ["request", "file", "offset", "sector", "sectors", "depth"],
  completed: ["request", "file", "offset", "sector", "sectors", "depth"],
  task_done: [],
} as const satisfies Record<string, readonly string[]>;

/** The name of a kind of event. */
export type EventName = keyof typeof FIELDS;

/** What every event has. */
interface Base {
  seq: number;
  at_ns: number;
  task: number;
}

/** The fields that are not in [`FIELDS`], because they are no plain numbers or may be left out. */
interface Extra {
  mmap: { exec: boolean };
  touch_done: { major: boolean };
  decided: { decision: Decision };
  folio_added: { marked: boolean; pfn?: number; count?: number };
  folio_removed: { reclaimed: boolean; pfn?: number };
  bio_queued: { ahead: boolean };
  split: { ahead: boolean };
  back_merged: { ahead: boolean };
  front_merged: { ahead: boolean };
  get_request: { ahead: boolean };
  issued: { ahead: boolean };
  completed: { ahead: boolean };
}

/** One event of the given kind. */
export type EventOf<N extends EventName> = Base & { event: N } & {
  [F in (typeof FIELDS)[N][number]]: number;
} & (N extends keyof Extra ? Extra[N] : unknown);

/** Any event. */
export type LabEvent = { [N in EventName]: EventOf<N> }[EventName];

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isDecision(value: unknown): value is Decision {
  return (
    isRecord(value) &&
    typeof value.id === "number" &&
    typeof value.sentence === "string" &&
    isRecord(value.before) &&
    isRecord(value.after) &&
    isRecord(value.reason) &&
    isRecord(value.trim) &&
    (value.window === null || isRecord(value.window))
  );
}

/** Whether the value is an event of a kind that this page knows. */
export function isEvent(value: unknown): value is LabEvent {
  if (!isRecord(value) || typeof value.seq !== "number" || typeof value.at_ns !== "number") return false;
  const name = value.event;
  if (typeof name !== "string" || !Object.hasOwn(FIELDS, name)) return false;
  for (const field of FIELDS[name as EventName]) {
    if (typeof value[field] !== "number") return false;
  }
  return name !== "decided" || isDecision(value.decision);
}

/** The events of one message of the stream; what this page does not know is counted, not guessed at. */
export function parseBatch(text: string): { events: LabEvent[]; unknown: number } {
  const value: unknown = JSON.parse(text);
  const list = isRecord(value) && Array.isArray(value.events) ? value.events : [];
  const events = list.filter(isEvent);
  return { events, unknown: list.length - events.length };
}
