// The stage of a page: one run, or the two sides of a comparison, on one clock. It feeds the stores, moves the players
// and tells the instruments inside it when to draw. It draws nothing itself.
//
// Attributes: `runs` (ids, by spaces), `axis` ("time" or "offset"), `labels` (by "|"),
// `kernels` (MODEL or MODEL+PATCH…, by spaces), `events-max`.

import { follow } from "../feed.ts";
import { Clock, paceFor } from "../lib/clock.ts";
import { DeviceSeries } from "../lib/device.ts";
import { type Kernel, kernelOf } from "../lib/kernel.ts";
import { Player } from "../lib/player.ts";
import { nextStep, type Standing, type Step, stepBefore } from "../lib/steps.ts";
import { type DecisionPoint, EVENTS_MAX, EventStore } from "../lib/store.ts";
import { fileEnd, jumpsAbout, nearOffset, nearTime, type Span, View, within } from "../lib/view.ts";
import { largestWindow } from "../lib/windows.ts";
import { refreshAnswers } from "../refresh.ts";
import { Whole } from "../whole.ts";

/** One run on the stage. */
export interface Side {
  id: string;
  letter: "a" | "b";
  label: string;
  kernel: Kernel;
  store: EventStore;
  player: Player;
  device: DeviceSeries;
  /** Figures of the whole run, for when the store holds only its beginning. */
  whole: Whole;
  /** Nothing more will come. */
  ended: boolean;
  state: string;
  message: string | undefined;
}

/** What a person points at: pages of a file. */
export interface Lit {
  file: number;
  first: number;
  pages: number;
}

/** What an address names: a decision, `#a-decision-12`, or a moment, `#at-1500000`. */
type Wanted = { letter: string; decision: number } | { at: number };

function wantedIn(hash: string): Wanted | undefined {
  const moment = /^#at-(\d+)$/.exec(hash);
  if (moment !== null) return { at: Number(moment[1]) };
  const found = /^#([ab])-decision-(\d+)$/.exec(hash);
  return found?.[1] === undefined ? undefined : { letter: found[1], decision: Number(found[2]) };
}

/** What the whole of the data says about scales, computed again only when there is more of it. */
interface Scales {
  decisions: number;
  nearTime: number;
  nearOffset: number;
  largest: number;
  fileEnds: Map<string, number>;
}

export class Stage extends HTMLElement {
  sides: Side[] = [];
  readonly clock = new Clock();
  view = new View("time");
  /** Pages that are pointed at. */
  lit: Lit | undefined;
  /** Counts explicit moves, so that what is read aloud follows a step but not playing. */
  moves = 0;

  private readonly drawers = new Set<() => void>();
  private readonly stops: Array<() => void> = [];
  private dirty = true;
  private frame = 0;
  private last_ms = 0;
  private paceChosen = false;
  private started = false;
  private scales: Scales | undefined;

  connectedCallback(): void {
    this.view = new View(this.getAttribute("axis") === "offset" ? "offset" : "time");
    const labels = (this.getAttribute("labels") ?? "").split("|");
    const ids = (this.getAttribute("runs") ?? "").split(" ").filter((id) => id !== "");
    const kernels = (this.getAttribute("kernels") ?? "").split(" ").map(kernelOf);
    this.sides = ids.map((id, place) => {
      const store = new EventStore(Number(this.getAttribute("events-max") ?? EVENTS_MAX));
      return {
        id,
        letter: place === 0 ? "a" : "b",
        label: labels[place] ?? "",
        kernel: kernels[place] ?? kernelOf(""),
        store,
        player: new Player(store),
        device: new DeviceSeries(store),
        whole: new Whole(id, this.invalidate),
        ended: false,
        state: "running",
        message: undefined,
      };
    });
    this.setAttribute("aria-busy", "true");
    for (const side of this.sides) this.stops.push(this.follow(side));
    document.addEventListener("keydown", this.onKey);
    window.addEventListener("resize", this.invalidate);
    window.addEventListener("hashchange", this.onHash);
    this.last_ms = performance.now();
    this.frame = requestAnimationFrame(this.onFrame);
  }

  disconnectedCallback(): void {
    cancelAnimationFrame(this.frame);
    document.removeEventListener("keydown", this.onKey);
    window.removeEventListener("resize", this.invalidate);
    window.removeEventListener("hashchange", this.onHash);
    for (const stop of this.stops) stop();
    this.stops.length = 0;
  }

  /** Calls `draw` whenever something changed, once a frame. Returns the function that ends it. */
  onDraw(draw: () => void): () => void {
    this.drawers.add(draw);
    this.invalidate();
    return () => this.drawers.delete(draw);
  }

  readonly invalidate = (): void => {
    this.dirty = true;
  };

  /** How far the run reaches, as far as it is here. */
  get endAt(): number {
    return Math.max(0, ...this.sides.map((side) => side.store.endAt));
  }

  /** Nothing more will come on any side. */
  get ended(): boolean {
    return this.sides.every((side) => side.ended);
  }

  get decisionCount(): number {
    return this.sides.reduce((sum, side) => sum + side.store.decisions.length, 0);
  }

  play(): void {
    if (this.ended && this.clock.at >= this.endAt) this.seek(0);
    this.clock.playing = true;
    this.invalidate();
  }

  pause(): void {
    this.clock.playing = false;
    this.moves += 1;
    this.invalidate();
  }

  toggle(): void {
    if (this.clock.playing) this.pause();
    else this.play();
  }

  setPace(pace: number): void {
    this.clock.pace = pace;
    this.paceChosen = true;
    this.invalidate();
  }

  /** Goes to a moment. */
  seek(at: number): void {
    this.clock.at = Math.max(0, Math.min(at, this.endAt));
    for (const side of this.sides) side.player.seek(this.clock.at);
    this.moves += 1;
    this.invalidate();
  }

  /** Goes to just after a decision of one side; the other side goes to the same moment. */
  seekDecision(side: Side, point: DecisionPoint): void {
    this.clock.playing = false;
    this.clock.at = point.at;
    for (const one of this.sides) {
      if (one === side) one.player.seekIndex(point.index + 1);
      else one.player.seek(point.at);
    }
    this.moves += 1;
    this.invalidate();
  }

  /** To the next decision on any side. */
  stepForward(): void {
    this.step(nextStep(this.standings));
  }

  /** Back to where a step forward would have come from. */
  stepBack(): void {
    if (!this.step(stepBefore(this.standings))) this.seek(0);
  }

  private get standings(): Standing[] {
    return this.sides.map((side) => ({ decisions: side.store.decisions, place: side.player.decisionIndex }));
  }

  private step(step: Step | undefined): boolean {
    const side = step && this.sides[step.side];
    const point = step && side?.store.decisions[step.place];
    if (side === undefined || point === undefined) return false;
    this.seekDecision(side, point);
    return true;
  }

  light(lit: Lit | undefined): void {
    this.lit = lit;
    this.invalidate();
  }

  /** The part of the run's time that charts show. */
  timeSpan(): Span {
    if (this.view.extent === "all") return { from: 0, to: Math.max(this.endAt, 1) };
    const span = this.view.time.span(this.clock.at, this.measure().nearTime);
    return this.ended ? within(span, this.endAt) : span;
  }

  /** The part of a file that charts show: all sides show the same one. */
  offsetSpan(side: Side): Span {
    const scales = this.measure();
    const file = side.player.state.reader.file;
    const end = Math.max(...this.sides.map((one) => scales.fileEnds.get(`${one.letter}${file}`) ?? 1));
    if (this.view.extent === "all") return { from: 0, to: end };
    const places = this.sides.map((one) => one.player.state.reader.page * 4096);
    const span = this.view.offset.span(Math.min(...places), scales.nearOffset);
    return this.ended ? within(span, end) : span;
  }

  /** Pages of a file up to where any window of this side reaches. */
  offsetEnd(side: Side, file: number): number {
    return Math.ceil((this.measure().fileEnds.get(`${side.letter}${file}`) ?? 0) / 4096);
  }

  /** The largest window of any side. */
  get largestWindow(): number {
    return this.measure().largest;
  }

  private measure(): Scales {
    const decisions = this.decisionCount;
    if (this.scales?.decisions !== decisions) {
      const stores = this.sides.map((side) => side.store);
      const fileEnds = new Map<string, number>();
      for (const side of this.sides) {
        for (const file of new Set(side.store.decisions.map((point) => point.decision.file))) {
          fileEnds.set(`${side.letter}${file}`, fileEnd(side.store, file));
        }
      }
      this.scales = {
        decisions,
        nearTime: nearTime(stores),
        nearOffset: nearOffset(stores),
        largest: Math.max(...stores.map((store) => largestWindow(store))),
        fileEnds,
      };
    }
    return this.scales;
  }

  private follow(side: Side): () => void {
    return follow(side.id, side.store, {
      data: () => {
        side.device.update();
        this.start();
        this.invalidate();
      },
      state: (name, message) => {
        side.state = name;
        side.message = message;
        this.invalidate();
      },
      ended: () => {
        side.ended = true;
        this.invalidate();
        if (this.ended) {
          this.setAttribute("aria-busy", "false");
          this.choosePace();
          void refreshAnswers();
        }
      },
    });
  }

  /** Once there is something to see: start where the address says, or play from the beginning. */
  private start(): void {
    this.choosePace();
    if (this.started) return;
    const wanted = wantedIn(location.hash);
    if (wanted !== undefined) {
      if (this.goTo(wanted)) {
        this.started = true;
        return;
      }
      if (!this.ended) return;
    }
    if (this.decisionCount === 0) return;
    this.started = true;
    if (this.sides.some((side) => jumpsAbout(side.store))) this.view.axis = "time";
    this.clock.playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  /** Goes to where an address says; false when that is not there (yet). */
  private goTo(wanted: Wanted): boolean {
    if ("at" in wanted) {
      if (!this.ended && this.endAt < wanted.at) return false;
      this.clock.playing = false;
      this.seek(wanted.at);
      return true;
    }
    const side = this.sides.find((one) => one.letter === wanted.letter);
    const point = side?.store.decisions[wanted.decision];
    if (side === undefined || point === undefined) return false;
    this.seekDecision(side, point);
    return true;
  }

  private readonly onHash = (): void => {
    const wanted = wantedIn(location.hash);
    if (wanted !== undefined) this.goTo(wanted);
  };

  private choosePace(): void {
    if (this.paceChosen) return;
    const busiest = Math.max(...this.sides.map((side) => side.store.decisions.length));
    if (busiest > 20 || this.ended) this.clock.pace = paceFor(busiest, this.endAt);
    if (this.ended) this.paceChosen = true;
  }

  private readonly onFrame = (now: number): void => {
    const elapsed_ms = Math.min(100, now - this.last_ms);
    this.last_ms = now;
    if (this.clock.playing) {
      this.clock.tick(elapsed_ms, this.endAt, this.ended);
      for (const side of this.sides) side.player.seek(this.clock.at);
      this.dirty = true;
      if (!this.clock.playing) this.moves += 1;
    }
    if (this.dirty) {
      this.dirty = false;
      for (const draw of this.drawers) draw();
    }
    this.frame = requestAnimationFrame(this.onFrame);
  };

  private readonly onKey = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const target = event.target;
    const typing =
      target instanceof HTMLElement && target.closest("input, select, textarea, button, a, summary, [tabindex]");
    if (event.key === " " && !typing) this.toggle();
    else if (event.key === "ArrowRight" && !typing) this.stepForward();
    else if (event.key === "ArrowLeft" && !typing) this.stepBack();
    else if (event.key === "Home" && !typing) this.seek(0);
    else if (event.key === "End" && !typing) {
      this.pause();
      this.seek(this.endAt);
    } else return;
    event.preventDefault();
  };
}

/** The stage that an instrument stands on. */
export function stageOf(element: Element): Stage {
  const stage = element.closest("ra-stage");
  if (!(stage instanceof Stage)) throw new Error(`<${element.localName}> stands outside an <ra-stage>`);
  return stage;
}

/** The side that an instrument shows: the one its attribute `side` names, or the only one. */
export function sideOf(element: Element, stage: Stage): Side {
  const letter = element.getAttribute("side") ?? "a";
  const side = stage.sides.find((one) => one.letter === letter);
  if (side === undefined) throw new Error(`<${element.localName}> asks for side ${letter}, which is not on the stage`);
  return side;
}
