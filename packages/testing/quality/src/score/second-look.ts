import { timeError } from "./compare.ts";
import type { Ratio } from "./score.ts";
import type { ScoredTime } from "./score-answer.ts";

/** The effect of the second look on the times of the first answer. */
export type SecondLookScore = {
  /** Times that were wrong by three seconds or more, and that the second look changed or removed. */
  caught: Ratio;
  /** The share of the same times that are now right within one second. */
  corrected: Ratio;
  /** True times that the second look moved by more than half a second. */
  moved: Ratio;
};

const plantedMs = 3000;
const trueMs = 1000;
const movedMs = 500;

/** Compares the times of a case without the second look to those of the same case with it. */
export function compareTimes(first: readonly ScoredTime[], second: readonly ScoredTime[]): SecondLookScore {
  const score = { caught: { of: 0, all: 0 }, corrected: { of: 0, all: 0 }, moved: { of: 0, all: 0 } };
  const later = new Map(second.map((time) => [time.name, time.givenMs]));
  for (const { name, trueMs: truth, givenMs: before } of first) {
    if (before === undefined) continue;
    const after = later.get(name);
    const error = timeError(before, truth);
    if (error >= plantedMs) {
      score.caught.all += 1;
      score.corrected.all += 1;
      if (after !== before) score.caught.of += 1;
      if (after !== undefined && timeError(after, truth) <= trueMs) score.corrected.of += 1;
    } else if (error < trueMs) {
      score.moved.all += 1;
      if (after === undefined || Math.abs(after - before) > movedMs) score.moved.of += 1;
    }
  }
  return score;
}
