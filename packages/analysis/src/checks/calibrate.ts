import { createHash } from "node:crypto";
import type { TimeClaim } from "@video-to-json/schema";
import { LRUCache } from "lru-cache";
import type { Span, TimeFinding } from "./judge-times.ts";

/** How much later than the answer the looks see all edges, and how far from the answer a time has to be seen to move. */
export type Calibration = { shiftMs: number; leastMoveMs: number };

/** By how many milliseconds looks saw edges later than the answers said, for one account and one schema. */
export type SeenShifts = {
  /** In earlier videos. */
  readonly earlier: readonly number[];
  /** Remembers the shifts of the video of this job. Later calls do nothing, because they would repeat the same video. */
  add(shifts: readonly number[]): void;
};

/** An answer this near to what the looks see stays: people differ by that much about when something begins. */
export const nearMs = 2_000;
/** Less than this may be chance, and more than this is another event. */
const leastShiftMs = 1_000;
const mostShiftMs = 2_500;
/** The shifts to try, in milliseconds. */
const triedShifts = Array.from({ length: 51 }, (_, index) => (index - 25) * (mostShiftMs / 25));
/** The deviation of a look at a true time; and the likelihood of a wrong time, where that of a true one is 1. */
const spreadMs = 900;
const stray = 0.1;
// A shift has to explain the looks better than no shift and the opposite shift do, by these logarithms.
const possible = 1.5;
const certain = 5;
/** No shift explains a difference of this much or more, so such a time moves even where the shift is not known. */
const unexplainedMs = 3_500;
/** With this many edges, earlier videos decide what one video leaves open, or shows with fewer than three edges. */
const enoughEdges = 12;
const fewEdges = 3;

/**
 * Returns the shift that explains best what the looks see. Errors of an answer differ from each other; another notion of when
 * something begins does not. Where one video does not show which of the two it is, the earlier videos decide. Without
 * enough of them, only times move that no shift explains.
 */
export function calibrate(
  { claims, findings }: { claims: readonly TimeClaim[]; findings: ReadonlyMap<string, TimeFinding> },
  seen: SeenShifts,
): Calibration {
  const shifts = claims.flatMap((claim) => {
    const finding = findings.get(claim.pointer);
    const [span] = finding?.verdict === "confirmed" || finding?.verdict === "moved" ? finding.spans : [];
    return span ? [edgeOf(claim, span) - (claim.fromMs + claim.toMs) / 2] : [];
  });
  seen.add(shifts);
  const alone = calibrationOf(shifts);
  const together = [...seen.earlier, ...shifts];
  const isKnown = alone.leastMoveMs === nearMs && shifts.length >= fewEdges;
  return isKnown || together.length < enoughEdges ? alone : calibrationOf(together);
}

function calibrationOf(shifts: readonly number[]): Calibration {
  const likelihood = (shiftMs: number) =>
    shifts.reduce((sum, ms) => sum + Math.log(Math.exp(-0.5 * ((ms - shiftMs) / spreadMs) ** 2) + stray), 0);
  const shiftMs = triedShifts.reduce((best, ms) => (likelihood(ms) > likelihood(best) ? ms : best), 0);
  // An answer errs to both sides. A model that sees everything late errs to one.
  const advantage = likelihood(shiftMs) - Math.max(likelihood(0), likelihood(-shiftMs));
  if (Math.abs(shiftMs) < leastShiftMs || advantage < possible) return { shiftMs: 0, leastMoveMs: nearMs };
  return advantage < certain ? { shiftMs: 0, leastMoveMs: unexplainedMs } : { shiftMs, leastMoveMs: nearMs };
}

/** Returns the edge of a span that a claim is about, in milliseconds. */
export function edgeOf({ edge }: Pick<TimeClaim, "edge">, span: Span): number {
  return edge === "start" ? span.startMs : span.endMs;
}

/** The most schemas that are remembered, the most edges of each, and of one video: no video decides alone. */
const mostSchemas = 1_000;
const mostEdges = 60;
const mostOfVideo = 12;

/**
 * Opens the memory of a process for what looks see. It holds numbers only. A process that does not know an account and schema
 * yet calibrates by the one video.
 *
 * @returns a function that opens the memory for one job.
 */
export function openShiftMemory(): (job: { accountId: string; schemaText: string }) => SeenShifts {
  const known = new LRUCache<string, readonly number[]>({ max: mostSchemas });
  return ({ accountId, schemaText }) => {
    const key = `${accountId} ${createHash("sha256").update(schemaText).digest("base64")}`;
    let isAdded = false;
    return {
      earlier: known.get(key) ?? [],
      add(shifts) {
        if (!isAdded) known.set(key, [...(known.get(key) ?? []), ...shifts.slice(0, mostOfVideo)].slice(-mostEdges));
        isAdded = true;
      },
    };
  };
}
