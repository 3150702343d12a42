import type { ClipWindow } from "../clips/clip-question.ts";
import type { Sighting } from "../clips/read-clip-answer.ts";
import { type PlannedClaim, windowOf } from "./plan-clips.ts";

type Remembered = { what: string; window: ClipWindow; sighting: Sighting };

/** Remembers the sightings of a job's clips, so that a later attempt does not ask the same questions again. */
export type SightingMemory = {
  add(remembered: Remembered): void;
  /** Returns the sightings of the same event in a part that contains the whole reach of a claim. */
  find(claim: Omit<PlannedClaim, "pointer">, durationMs: number, reachMs?: number): Remembered | undefined;
};

/** How much of a claim's reach may be missing on either side, in milliseconds. */
const slackMs = 3000;

/** Opens an empty memory. Unclear sightings are not kept. */
export function openSightingMemory(): SightingMemory {
  const all: Remembered[] = [];
  return {
    add(remembered) {
      if (remembered.sighting.seen !== "unclear") all.push(remembered);
    },
    find(claim, durationMs, reachMs) {
      const wanted = windowOf(claim, durationMs, reachMs);
      return all.find(
        ({ what, window }) =>
          what === claim.what &&
          window.fromMs <= wanted.fromMs + (wanted.fromMs === 0 ? 0 : slackMs) &&
          window.toMs >= wanted.toMs - (wanted.toMs === durationMs ? 0 : slackMs),
      );
    },
  };
}
