import type { TimeClaim } from "@video-to-json/schema";
import type { ClipWindow } from "../clips/clip-question.ts";
import type { CutOutClip } from "../clips/cut-clip.ts";
import { lookAtClip } from "../clips/look-at-clip.ts";
import type { Sighting } from "../clips/read-clip-answer.ts";
import type { CheckTimesDeps, CheckTimesRequest } from "./check-times-request.ts";
import type { ChosenPlan } from "./choose-plan.ts";

/** A claim's sighting, the part of the video that was searched, and the edges that were measured there. */
export type Observation = { window: ClipWindow; sighting: Sighting; edges: CutOutClip["edges"] };

type Bounds = Pick<CheckTimesRequest, "jobId" | "budget" | "signal" | "deadline">;

const maxAtOnce = 4;

/**
 * Looks at the clips of a plan, several at once, while the budget and the time last. It never rejects.
 *
 * @returns what was seen of each claim. A claim whose clip could not be cut, sent or answered is missing.
 */
export async function lookAtClaims(
  deps: CheckTimesDeps,
  { framesPerSecond, clips }: ChosenPlan<TimeClaim>,
  bounds: Bounds,
): Promise<Map<TimeClaim, Observation>> {
  const observed = new Map<TimeClaim, Observation>();
  const waiting = [...clips];
  const work = async () => {
    for (let clip = waiting.shift(); clip; clip = waiting.shift()) {
      if (bounds.signal.aborted || !bounds.budget.reserve(clip.tokens)) continue;
      for (const found of await observe(deps, clip, framesPerSecond, bounds)) observed.set(...found);
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxAtOnce, clips.length) }, work));
  return observed;
}

/** Returns what one clip shows of its claims. Empty if it could not be cut, sent or answered. */
async function observe(
  { ask, cutClip, log }: CheckTimesDeps,
  { window, claims, tokens: reserved }: ChosenPlan<TimeClaim>["clips"][number],
  framesPerSecond: number,
  { jobId, budget, signal, deadline }: Bounds,
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
    return claims.map((claim) => {
      const sighting = sightings[asked.indexOf(claim.what)] ?? { seen: "unclear", spans: [] };
      return [claim, { window, sighting, edges }];
    });
  } catch (error) {
    if (!signal.aborted) log.warn({ jobId, err: error }, "clip not checked");
    return [];
  } finally {
    budget.settle(reserved, spent);
  }
}
