/** A count, and the total that it is a part of. */
export type Ratio = { of: number; all: number };

/** The score of one answer or of many: sums that add up. */
export type Score = {
  /** Answers of the service, out of all questions. */
  answered: Ratio;
  /** Right values, out of the values of the right answer. */
  values: Ratio;
  /** Times within half a second, one and two seconds, out of the times of the right answer. */
  withinHalf: Ratio;
  withinOne: Ratio;
  withinTwo: Ratio;
  /** Intersection over union of the spans in the truth: the sum, and how many spans. */
  overlap: Ratio;
  /** Found items of lists, out of those in the truth, and out of those in the answer. */
  complete: Ratio;
  precise: Ratio;
  /** Places that must be empty and are not. */
  invented: Ratio;
  /** Lists in order of time. */
  ordered: Ratio;
  /** Fields whose evidence overlaps the event, out of those with evidence and a known event. */
  evidence: Ratio;
};

/** Returns the score of no answers. */
export function emptyScore(): Score {
  const names = [
    ...(["answered", "values", "withinHalf", "withinOne", "withinTwo", "overlap", "complete"] as const),
    ...(["precise", "invented", "ordered", "evidence"] as const),
  ];
  return Object.fromEntries(names.map((name) => [name, { of: 0, all: 0 }])) as Score;
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

/** Returns a ratio as a number from 0 to 1, or undefined if the total is 0. */
export function shareOf({ of, all }: Ratio): number | undefined {
  return all === 0 ? undefined : of / all;
}
