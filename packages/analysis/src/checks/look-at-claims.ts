import type { TimeClaim } from "@video-to-json/schema";
import { askClips, type ClipDeps, type ClipRun, type CutOutClip } from "./ask-clips.ts";
import type { SeenShifts } from "./calibrate.ts";
import { type ClipWindow, clipQuestion, readClipAnswer, type Sighting } from "./clip-question.ts";
import { type ChosenPlan, type PlannedClaim, windowOf } from "./plan-clips.ts";
import type { Witness } from "./witness.ts";

/** A claim's sighting, the part of the video that was searched, and the edges that were measured there. */
export type Observation = { window: ClipWindow; sighting: Sighting; edges: CutOutClip["edges"] };

/** The limits of one look at the times of an answer, and what earlier looks saw near the claims and further away. */
export type TimesRun = ClipRun & {
  durationMs: number;
  memory: SightingMemory;
  farMemory: SightingMemory;
  shifts: SeenShifts;
  /** The dollars that stay for asking again about what is contradicted. */
  keptDollars: number;
  /** Measures times independently of the model. */
  witness?: Witness;
};

/**
 * Looks at the clips of a plan, while the budget and the time last. It never rejects.
 *
 * @returns what was seen of each claim. A claim whose clip could not be cut, sent or answered is missing.
 */
export async function lookAtClaims(
  deps: ClipDeps,
  { framesPerSecond, clips }: ChosenPlan<TimeClaim>,
  run: ClipRun,
): Promise<Map<TimeClaim, Observation>> {
  const planned = clips.map((clip) => {
    const things = [...new Set(clip.claims.map(({ what }) => what))];
    return { ...clip, framesPerSecond, things, question: clipQuestion(clip.window, things) };
  });
  const replies = await askClips(deps, planned, run);
  return new Map(
    replies.flatMap(({ clip: { window, claims, things }, text, edges }) => {
      const sightings = readClipAnswer(text, things.length, { ...window, framesPerSecond });
      return claims.map((claim): [TimeClaim, Observation] => {
        const sighting = sightings[things.indexOf(claim.what)] ?? { seen: "unclear", spans: [] };
        return [claim, { window, sighting, edges }];
      });
    }),
  );
}

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
