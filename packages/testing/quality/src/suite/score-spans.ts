import type { Span } from "../cases/case.ts";
import type { SuiteName } from "./read-suite.ts";

/** What an answer names for a question, and the truth. Times are in milliseconds. */
export type Found = { given: readonly Span[]; truth: readonly Span[] };

/** Scores answers as the authors of a suite do. Each figure is a share of 1. */
export function scoreSpans(suite: SuiteName, found: readonly Found[]): Record<string, number> {
  return suite === "vue-tr" ? scoreRetrieval(found) : scoreMoments(found);
}

/**
 * VUE-TR: the overlap of all named moments with all true ones, precision and recall. Each figure is the area under the share
 * of questions above each threshold.
 */
function scoreRetrieval(found: readonly Found[]) {
  const whole = found.map(({ given, truth }) => ({ truth, given: given.map(toWholeSeconds) }));
  const shares = whole.map(({ given, truth }) => {
    const [named, real] = [lengthOf(merged(given)), lengthOf(merged(truth))];
    const shared = sharedLength(merged(given), truth);
    return { precision: named === 0 ? undefined : shared / named, recall: real === 0 ? undefined : shared / real };
  });
  const overlaps = whole.map(({ given, truth }) => overlapOfAll(given, truth));
  const known = (all: readonly (number | undefined)[]) => all.filter((share) => share !== undefined);
  return {
    overlap: areaUnder(overlaps, (share, threshold) => share > threshold),
    precision: areaUnder(known(shares.map(({ precision }) => precision)), (share, threshold) => share >= threshold),
    recall: areaUnder(known(shares.map(({ recall }) => recall)), (share, threshold) => share >= threshold),
  };
}

/** VUE-TR rounds what an answer names outwards to whole seconds. */
function toWholeSeconds({ startMs, endMs }: Span): Span {
  return { startMs: Math.floor(startMs / 1000) * 1000, endMs: Math.ceil(endMs / 1000) * 1000 };
}

/** Returns intersection over union of what an answer names and the truth, from 0 to 1. */
export function overlapOfAll(given: readonly Span[], truth: readonly Span[]): number {
  if (truth.length === 0) return given.length === 0 ? 1 : 0;
  const named = merged(given);
  const shared = sharedLength(named, truth);
  const all = lengthOf(named) + lengthOf(truth) - shared;
  return all <= 0 ? 0 : Math.min(1, Math.max(0, shared / all));
}

function merged(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = all.at(-1);
    if (span.startMs > span.endMs) continue;
    if (last && span.startMs <= last.endMs) all[all.length - 1] = { ...last, endMs: Math.max(last.endMs, span.endMs) };
    else all.push(span);
  }
  return all;
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
}

function sharedLength(some: readonly Span[], others: readonly Span[]): number {
  return some.reduce((sum, a) => others.reduce((inside, b) => inside + sharedOf(a, b), sum), 0);
}

function sharedOf(a: Span, b: Span): number {
  return Math.max(0, Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs));
}

const hundredths = Array.from({ length: 101 }, (_, index) => index / 100);

function areaUnder(shares: readonly number[], isAbove: (share: number, threshold: number) => boolean): number {
  const at = hundredths.map((threshold) => meanOf(shares.map((share) => (isAbove(share, threshold) ? 1 : 0))));
  return at.slice(1).reduce((area, value, index) => area + (value + (at[index] ?? 0)) / 200, 0);
}

const thresholds = Array.from({ length: 10 }, (_, index) => 0.5 + index * 0.05);

/** QVHighlights: whether the first named moment is right, and the mean average precision of the first ten. */
function scoreMoments(found: readonly Found[]) {
  const first = found.map(({ given: [best], truth }) =>
    best ? Math.max(0, ...truth.map((span) => overlapOfTwo(best, span))) : 0,
  );
  const atLeast = (threshold: number) => meanOf(first.map((share) => (share >= threshold ? 1 : 0)));
  const precision = thresholds.map((threshold) => meanOf(found.map((each) => averagePrecision(each, threshold))));
  return { "R1@0.5": atLeast(0.5), "R1@0.7": atLeast(0.7), mAP: meanOf(precision) };
}

/** The length from the first start to the last end counts as the union, as in the published score. */
function overlapOfTwo(a: Span, b: Span): number {
  const all = Math.max(a.endMs, b.endMs) - Math.min(a.startMs, b.startMs);
  return all <= 0 ? 0 : sharedOf(a, b) / all;
}

/** The area under the falling curve of precision over recall. Each true moment is found once. */
function averagePrecision({ given, truth }: Found, threshold: number): number {
  const taken = new Set<number>();
  let right = 0;
  const points = given.slice(0, 10).map((span, index) => {
    const best = truth
      .map((real, at) => ({ at, share: overlapOfAll([span], [real]) }))
      .sort((a, b) => b.share - a.share)
      .find(({ at, share }) => share >= threshold && !taken.has(at));
    if (best) {
      taken.add(best.at);
      right += 1;
    }
    return { precision: right / (index + 1), recall: right / truth.length };
  });
  return points.reduce((area, { recall }, index) => {
    const before = points[index - 1]?.recall ?? 0;
    return area + (recall - before) * Math.max(...points.slice(index).map(({ precision }) => precision));
  }, 0);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
