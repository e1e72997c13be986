// The lines of the event log that a person wants to see: of the chosen kinds, with the words they typed, up to a moment.
// Knows nothing of the page.

import type { LabEvent } from "./events.ts";
import * as format from "./format.ts";
import { type Kind, kindOf, textOf } from "./lines.ts";
import type { EventStore } from "./store.ts";

/** What is shown. */
export interface Filter {
  kinds: ReadonlySet<Kind>;
  words: string;
}

/** Most events looked at for one screen of lines, so that a filter that matches nothing stays quick. */
const LOOK_BACK_MAX = 200_000;

function matches(event: LabEvent, filter: Filter): boolean {
  if (!filter.kinds.has(kindOf(event))) return false;
  if (filter.words === "") return true;
  const words = filter.words.toLowerCase();
  if (textOf(event).toLowerCase().includes(words)) return true;
  if (event.event !== "decided") return false;
  const { sentence } = event.decision;
  return `${sentence}\n${format.sentence(sentence)}`.toLowerCase().includes(words);
}

/** The last `limit` matching events among the first `index`, oldest first, with their places. */
export function tail(
  store: EventStore,
  index: number,
  filter: Filter,
  limit: number,
): Array<{ place: number; event: LabEvent }> {
  const found: Array<{ place: number; event: LabEvent }> = [];
  const stop = Math.max(0, index - LOOK_BACK_MAX);
  for (let place = index - 1; place >= stop && found.length < limit; place -= 1) {
    const event = store.events[place];
    if (event !== undefined && matches(event, filter)) found.push({ place, event });
  }
  return found.reverse();
}
