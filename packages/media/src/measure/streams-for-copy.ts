import type { Timeline } from "./timeline.ts";

/**
 * The streams that a copy of a video needs to last as long as the video does: those that were chosen, first and in their
 * order, and of the others each one that makes it longer.
 */
export function streamsForCopy(
  chosen: readonly number[],
  others: readonly number[],
  total: Timeline["total"],
): number[] {
  const taken = [...chosen];
  for (const stream of others) {
    if (taken.includes(stream)) continue;
    if (total([...taken, stream]) - total(taken) > leastGainSeconds) taken.push(stream);
  }
  return taken;
}

/** Tracks of one film rarely end at the same moment; several such ends together stay below what anybody would miss. */
const leastGainSeconds = 0.2;
