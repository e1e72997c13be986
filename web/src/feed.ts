// One live stream of a run into its store. Resumes by itself; ends when the run ends or the store is full.

import { parseBatch } from "./lib/events.ts";
import type { EventStore } from "./lib/store.ts";

/** What the page is told while the stream goes on. */
export interface FeedListener {
  /** Something was appended. */
  data(): void;
  /** The state of the run, as the service names it. */
  state(name: string, message: string | undefined): void;
  /** Nothing more will come. */
  ended(): void;
}

function stateIn(text: string): { name: string; message: string | undefined } {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || !("state" in value))
    return { name: "running", message: undefined };
  const { state } = value;
  const message = "error" in value && typeof value.error === "string" ? value.error : undefined;
  return { name: typeof state === "string" ? state : "running", message };
}

/** Follows the run; returns the function that stops it. */
export function follow(id: string, store: EventStore, listener: FeedListener): () => void {
  const source = new EventSource(`/api/v1/runs/${id}/events`);
  source.addEventListener("batch", (message: MessageEvent<string>) => {
    store.append(parseBatch(message.data).events);
    listener.data();
    if (store.full) {
      source.close();
      listener.ended();
    }
  });
  source.addEventListener("skipped", (message: MessageEvent<string>) => {
    const value: unknown = JSON.parse(message.data);
    if (typeof value === "object" && value !== null && "from" in value && "to" in value) {
      store.skip(Number(value.from), Number(value.to));
    }
  });
  source.addEventListener("state", (message: MessageEvent<string>) => {
    const { name, message: why } = stateIn(message.data);
    listener.state(name, why);
  });
  source.addEventListener("end", (message: MessageEvent<string>) => {
    source.close();
    const { name, message: why } = stateIn(message.data);
    listener.state(name, why);
    listener.ended();
  });
  source.addEventListener("error", () => {
    // The browser reconnects by itself unless the answer was no stream at all.
    if (source.readyState === EventSource.CLOSED) {
      listener.state("unreachable", "The stream of this run could not be opened. Reload the page to try again.");
      listener.ended();
    }
  });
  return () => source.close();
}
