// Steps from decision to decision over all sides on one clock: forward and back are each other's inverse.
// Knows nothing of players or of the page.

/** Where one side stands: its decisions, and the place of the last one that has happened (−1 before the first). */
export interface Standing {
  decisions: ReadonlyArray<{ at: number }>;
  place: number;
}

/** A decision of one of the sides. */
export interface Step {
  side: number;
  place: number;
}

/** The next decision on any side; of two at one moment, that of the first side. */
export function nextStep(sides: readonly Standing[]): Step | undefined {
  let found: (Step & { at: number }) | undefined;
  for (const [side, { decisions, place }] of sides.entries()) {
    const at = decisions[place + 1]?.at;
    if (at !== undefined && (found === undefined || at < found.at)) found = { side, place: place + 1, at };
  }
  return found && { side: found.side, place: found.place };
}

/** The decision that a step forward would have come from; undefined at the first. */
export function stepBefore(sides: readonly Standing[]): Step | undefined {
  let now: (Step & { at: number }) | undefined;
  for (const [side, { decisions, place }] of sides.entries()) {
    const at = decisions[place]?.at;
    if (at !== undefined && (now === undefined || at > now.at)) now = { side, place, at };
  }
  if (now === undefined) return undefined;
  let found: (Step & { at: number }) | undefined;
  for (const [side, standing] of sides.entries()) {
    let place = side === now.side ? now.place - 1 : standing.place;
    // What the other side decided at this very moment went with the same step.
    while (side !== now.side && (standing.decisions[place]?.at ?? -1) >= now.at) place -= 1;
    const at = standing.decisions[place]?.at;
    if (at !== undefined && (found === undefined || at > found.at)) found = { side, place, at };
  }
  return found && { side: found.side, place: found.place };
}
