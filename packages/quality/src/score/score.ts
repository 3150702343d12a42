/** How many of all. */
export type Ratio = { of: number; all: number };

/** The score of one answer or of many: sums that add up. */
export type Score = {
  /** Answers that the service gave, of all questions. */
  answered: Ratio;
  /** Values that are right, of those in the truth. */
  values: Ratio;
  /** Times within half a second, one and two seconds, of those in the truth. */
  withinHalf: Ratio;
  withinOne: Ratio;
  withinTwo: Ratio;
  /** Intersection over union of the spans in the truth: the sum, and how many spans. */
  overlap: Ratio;
  /** Items of lists that were found, of those in the truth, and of those in the answer. */
  complete: Ratio;
  precise: Ratio;
  /** Places that must hold nothing and hold something. */
  invented: Ratio;
  /** Lists in order of time. */
  ordered: Ratio;
  /** Fields whose evidence overlaps the event, of those with evidence and a known event. */
  evidence: Ratio;
};

/** Returns a score of nothing. */
export function emptyScore(): Score {
  const none = () => ({ of: 0, all: 0 });
  return {
    answered: none(),
    values: none(),
    withinHalf: none(),
    withinOne: none(),
    withinTwo: none(),
    overlap: none(),
    complete: none(),
    precise: none(),
    invented: none(),
    ordered: none(),
    evidence: none(),
  };
}

/** Returns the sum of scores. */
export function sumScores(scores: readonly Score[]): Score {
  const sum = emptyScore();
  for (const score of scores) {
    for (const name of Object.keys(sum) as (keyof Score)[]) {
      sum[name].of += score[name].of;
      sum[name].all += score[name].all;
    }
  }
  return sum;
}

/** Returns a ratio as a number from 0 to 1, or undefined for a ratio of nothing. */
export function shareOf({ of, all }: Ratio): number | undefined {
  return all === 0 ? undefined : of / all;
}
