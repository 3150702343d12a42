import type { TimeClaim } from "@video-to-json/schema-input";
import type { Ask, ClipVideo, TokenCount } from "../analysis-provider.ts";
import type { ClipWindow } from "../clips/clip-question.ts";
import { lookAtClip } from "../clips/look-at-clip.ts";
import type { Sighting } from "../clips/read-clip-answer.ts";
import { choosePlan } from "./choose-plan.ts";
import { ratesOf } from "./estimate-tokens.ts";
import type { TimeFinding } from "./findings.ts";
import { judgeTimes } from "./judge-times.ts";
import type { PlannedClip } from "./plan-clips.ts";
import type { SightingMemory } from "./sighting-memory.ts";
import type { TokenBudget } from "./token-budget.ts";

/** Cuts a clip of the job's video. Rejects when that fails, or when the signal aborts. */
export type CutClip = (window: ClipWindow, framesPerSecond: number, signal: AbortSignal) => Promise<CutOutClip>;

/** A clip with the clock of the whole video, and what was measured in it. Times are those of the whole video. */
export type CutOutClip = Pick<ClipVideo, "bytes" | "mimeType"> & {
  edges: { cutsMs: readonly number[]; silences: readonly { fromMs: number; toMs: number }[] };
};

export type CheckTimesDeps = {
  readonly ask: Ask;
  readonly cutClip: CutClip;
  readonly log: { info(obj: object, msg: string): void; warn(obj: object, msg: string): void };
};

/** The bounds of one second look. */
export type CheckTimesRequest = {
  jobId: string;
  durationMs: number;
  /** How long the file is that the answer is about: a part of the video may be. */
  seenMs: number;
  /** What the answer about the whole video cost. */
  firstPass: TokenCount | undefined;
  budget: TokenBudget;
  /** How many tokens the budget has left when the plan is made. */
  maxTokens: number;
  memory: SightingMemory;
  /** Aborts at `deadline`. Then what is not checked yet stays so. */
  signal: AbortSignal;
  deadline: Date;
};

const maxAtOnce = 4;

/**
 * Looks at each claimed time again, in narrow clips that claims near each other share. It never rejects: without budget,
 * time or provider, a claim is `not_checked`.
 *
 * @returns one finding for each claim, under its pointer.
 */
export async function checkTimes(
  deps: CheckTimesDeps,
  claims: readonly TimeClaim[],
  request: CheckTimesRequest,
): Promise<Map<string, TimeFinding>> {
  const observed = new Map<TimeClaim, Observation>();
  for (const claim of claims) {
    const known = request.memory.find(claim, request.durationMs);
    if (known) observed.set(claim, { ...known, edges: { cutsMs: [], silences: [] } });
  }
  const open = claims.filter((claim) => !observed.has(claim));
  const rates = ratesOf(request.firstPass, request.seenMs);
  const { framesPerSecond, clips } = choosePlan(open, { ...request, rates });
  const waiting = [...clips];
  const work = async () => {
    for (let clip = waiting.shift(); clip; clip = waiting.shift()) {
      if (request.signal.aborted || !request.budget.reserve(clip.tokens)) continue;
      for (const found of await observe(deps, clip, framesPerSecond, request)) observed.set(...found);
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxAtOnce, clips.length) }, work));
  return judgeAll(claims, observed, request.durationMs);
}

/** A claim's sighting, the part of the video in which it was looked for, and the edges that were measured there. */
type Observation = { window: ClipWindow; sighting: Sighting; edges: CutOutClip["edges"] };

const notChecked: TimeFinding = { verdict: "not_checked", spans: [], checked: null, nearestCutMs: null };

/** Returns what one clip shows of its claims. Empty if it could not be cut, sent or answered. */
async function observe(
  { ask, cutClip, log }: CheckTimesDeps,
  { window, claims, tokens: reserved }: PlannedClip<TimeClaim> & { tokens: number },
  framesPerSecond: number,
  { jobId, budget, memory, signal, deadline }: CheckTimesRequest,
): Promise<[TimeClaim, Observation][]> {
  let spent = 0;
  try {
    const { edges, ...cut } = await cutClip(window, framesPerSecond, signal);
    const asked = [...new Set(claims.map(({ what }) => what))];
    // From here on the provider may count the whole question, even if no answer arrives.
    spent = reserved;
    const clip = { video: { ...cut, framesPerSecond }, window };
    const questions = asked.map((what) => ({ what }));
    const { sightings, tokens } = await lookAtClip({ ask }, clip, questions, { signal, deadline });
    spent = tokens?.total ?? reserved;
    return asked.flatMap((what, index) => {
      const sighting = sightings[index] ?? { seen: "unclear", spans: [] };
      memory.add({ what, window, sighting });
      const about = claims.filter((claim) => claim.what === what);
      return about.map((claim): [TimeClaim, Observation] => [claim, { window, sighting, edges }]);
    });
  } catch (error) {
    if (!signal.aborted) log.warn({ jobId, err: error }, "clip not checked");
    return [];
  } finally {
    budget.settle(reserved, spent);
  }
}

/**
 * Returns the findings. It judges the starts, and the ends, of the same kind of thing together over all clips: a start and
 * its end are edges of one sighting, and two claims do not share one.
 */
function judgeAll(
  claims: readonly TimeClaim[],
  observed: ReadonlyMap<TimeClaim, Observation>,
  durationMs: number,
): Map<string, TimeFinding> {
  const findings = new Map<string, TimeFinding>(claims.map(({ pointer }) => [pointer, notChecked]));
  for (const alike of Map.groupBy(observed.keys(), ({ what, edge }) => `${edge} ${what}`).values()) {
    const seen = alike.flatMap((claim) => {
      const observation = observed.get(claim);
      return observation ? [{ ...claim, ...observation }] : [];
    });
    for (const [index, finding] of judgeTimes(seen, durationMs).entries()) {
      const claim = seen[index];
      if (claim) findings.set(claim.pointer, { ...finding, nearestCutMs: nearestCut(claim, finding) });
    }
  }
  return findings;
}

/** Returns the measured cut, or edge of a silence, nearest to where the time is now known to be. */
function nearestCut(
  { edge, fromMs, edges: { cutsMs, silences } }: TimeClaim & Observation,
  { verdict, spans: [seen] }: Pick<TimeFinding, "verdict" | "spans">,
): number | null {
  const seenMs = edge === "end" ? seen?.endMs : seen?.startMs;
  const at = (verdict === "moved" ? seenMs : undefined) ?? fromMs;
  const edges = [...cutsMs, ...silences.flatMap((silence) => [silence.fromMs, silence.toMs])];
  return edges.reduce<number | null>((best, ms) => {
    return best === null || Math.abs(ms - at) < Math.abs(best - at) ? ms : best;
  }, null);
}
