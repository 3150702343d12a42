import type { Timeline } from "./timeline.ts";

/**
 * Returns the streams that a copy needs to be as long as the video: the chosen ones first, in order, then each of the
 * others that makes the copy longer.
 */
export function streamsForCopy(
  chosen: readonly number[],
  others: readonly number[],
  total: Timeline["total"],
): number[] {
  const taken = [...chosen];
  for (const stream of others) {
    if (taken.includes(stream)) continue;
    if (total([...taken, stream]) - total(taken) > minGainSeconds) taken.push(stream);
  }
  return taken;
}

/** The streams of a video rarely end at the same moment. Smaller differences do not matter, even several of them. */
const minGainSeconds = 0.2;
