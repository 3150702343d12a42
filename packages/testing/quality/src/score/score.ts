import { timeError } from "./compare.ts";
import type { ScoredLeaf, ScoredTime } from "./score-answer.ts";

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

const parts = [
  ...(["answered", "values", "withinHalf", "withinOne", "withinTwo", "overlap", "complete"] as const),
  ...(["precise", "invented", "ordered", "evidence"] as const),
];

/** Returns the score of no answers. */
export function emptyScore(): Score {
  return sumScores([]);
}

/** Returns the sum of scores. */
export function sumScores(scores: readonly Score[]): Score {
  const sumOf = (part: keyof Score) => sumRatios(scores.map((score) => score[part]));
  return Object.fromEntries(parts.map((part) => [part, sumOf(part)])) as Score;
}

/** Returns the sum of ratios. */
export function sumRatios(ratios: readonly Ratio[]): Ratio {
  const sum = (part: keyof Ratio) => ratios.reduce((total, ratio) => total + ratio[part], 0);
  return { of: sum("of"), all: sum("all") };
}

/** Returns a ratio as a number from 0 to 1, or undefined if the total is 0. */
export function shareOf({ of, all }: Ratio): number | undefined {
  return all === 0 ? undefined : of / all;
}

/** The parts of the evidence of a job that are scored (`GET /v1/jobs/{id}/evidence`). */
export type EvidenceBody = {
  fields: Record<string, { confidence: number | null; spans: { start_ms: number; end_ms: number }[] }>;
};

/** The confidence of a leaf, and whether the leaf is right. */
export type Judged = { confidence: number; isRight: boolean };

const marginMs = 1000;

/** Returns how many leaves about a known event have evidence that overlaps it, and the confidences of all leaves. */
export function scoreEvidence(
  leaves: readonly ScoredLeaf[],
  { fields }: EvidenceBody,
): { hits: Ratio; judged: Judged[] } {
  const hits = { of: 0, all: 0 };
  const judged: Judged[] = [];
  for (const { pointer, isRight, span } of leaves) {
    const field = fields[pointer];
    if (!field) continue;
    if (field.confidence !== null) judged.push({ confidence: field.confidence, isRight });
    if (!span || field.spans.length === 0) continue;
    hits.all += 1;
    const isHit = field.spans.some(
      ({ start_ms, end_ms }) => start_ms <= span.endMs + marginMs && end_ms >= span.startMs - marginMs,
    );
    if (isHit) hits.of += 1;
  }
  return { hits, judged };
}

/** One bin of a reliability curve: the mean confidence and the share that is right. */
export type Bin = { confidence: number; right: number; count: number };

const bins = 10;

/** Returns the share of right leaves among those of about the same confidence, without empty bins. */
export function reliabilityOf(judged: readonly Judged[]): Bin[] {
  return Array.from({ length: bins }, (_, index) => {
    const inside = judged.filter(({ confidence }) => Math.min(bins - 1, Math.floor(confidence * bins)) === index);
    const mean = (of: (one: Judged) => number) => inside.reduce((sum, one) => sum + of(one), 0) / inside.length;
    return {
      confidence: mean(({ confidence }) => confidence),
      right: mean(({ isRight }) => (isRight ? 1 : 0)),
      count: inside.length,
    };
  }).filter(({ count }) => count > 0);
}

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

/** Returns the interval in which a share lies with 95 % certainty (Wilson). */
export function intervalOf({ of, all }: Ratio): [number, number] {
  if (all === 0) return [0, 1];
  const z = 1.96;
  const share = of / all;
  const middle = share + (z * z) / (2 * all);
  const width = z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  return [middle - width, middle + width].map((bound) => Math.min(1, Math.max(0, bound / (1 + (z * z) / all)))) as [
    number,
    number,
  ];
}
