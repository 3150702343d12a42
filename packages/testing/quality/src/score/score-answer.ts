import type { Span, TrueList, Truth } from "../cases/case.ts";
import { type GivenItem, isNothing, isRight, matchItems, overlapOf, readTime, timeError } from "./compare.ts";
import { emptyScore, type Score } from "./score.ts";

/** A time of the truth with a unique name, and the answer's value for it. */
export type ScoredTime = { name: string; trueMs: number; givenMs: number | undefined };

/** A leaf of an answer: whether it is right, and the event that it is about, where that is known. */
export type ScoredLeaf = { pointer: string; isRight: boolean; span: Span | undefined };

/** The score of an answer, with its parts. */
export type ScoredAnswer = { score: Score; times: ScoredTime[]; leaves: ScoredLeaf[] };

/** Scores the data of an answer. Without data everything is missing. */
export function scoreAnswer(truth: Truth, data: unknown): ScoredAnswer {
  const answer: GivenItem = isObject(data) ? data : {};
  const scored: ScoredAnswer = { score: emptyScore(), times: [], leaves: [] };
  const { score, leaves } = scored;
  count(score.answered, data !== undefined);
  for (const { pointer, value } of truth.values) {
    const given = answer[pointer.slice(1)];
    const right = isRight(given, value);
    count(score.values, right);
    if (given !== undefined) leaves.push({ pointer, isRight: right, span: undefined });
  }
  for (const { pointer, ms, span } of truth.times) {
    addTime(scored, { name: pointer, pointer, given: answer[pointer.slice(1)], trueMs: ms, span });
  }
  for (const list of truth.lists) addList(scored, answer[list.pointer.slice(1)], list);
  for (const pointer of truth.absent) {
    const given = answer[pointer.slice(1)];
    if (data !== undefined) count(score.invented, !isNothing(given));
    leaves.push(...leavesBelow(given, pointer).map((leaf) => ({ pointer: leaf, isRight: false, span: undefined })));
  }
  return scored;
}

type TimeToScore = { name: string; pointer: string; given: unknown; trueMs: number; span: Span };

function addTime({ score, times, leaves }: ScoredAnswer, { name, pointer, given, trueMs, span }: TimeToScore): void {
  const givenMs = readTime(given);
  const error = givenMs === undefined ? Number.POSITIVE_INFINITY : timeError(givenMs, trueMs);
  times.push({ name, trueMs, givenMs });
  count(score.withinHalf, error <= 500);
  count(score.withinOne, error <= 1000);
  count(score.withinTwo, error <= 2000);
  if (given !== undefined) leaves.push({ pointer, isRight: error <= 1000, span });
}

function addList(scored: ScoredAnswer, value: unknown, list: TrueList): void {
  const { score, leaves } = scored;
  const given = Array.isArray(value) ? value.map((item): GivenItem => (isObject(item) ? item : {})) : [];
  const matched = matchItems(given, list);
  const starts = given.flatMap((item) => readTime(item[list.startKey]) ?? []);
  if (given.length > 0)
    count(
      score.ordered,
      starts.every((start, index) => index === 0 || start >= (starts[index - 1] ?? 0)),
    );
  for (const [index, item] of given.entries()) {
    count(score.precise, matched[index] !== undefined);
    if (matched[index] !== undefined) continue;
    const wrong = leavesBelow(item, `${list.pointer}/${index}`);
    leaves.push(...wrong.map((pointer) => ({ pointer, isRight: false, span: undefined })));
  }
  for (const [index, { span, times, values, absent }] of list.items.entries()) {
    const at = matched.indexOf(index);
    const item = given[at];
    const path = `${list.pointer}/${at}`;
    count(score.complete, item !== undefined);
    for (const [key, trueMs] of Object.entries(times)) {
      const name = `${list.pointer}[${index}]/${key}`;
      addTime(scored, { name, pointer: `${path}/${key}`, given: item?.[key], trueMs, span });
    }
    for (const [key, trueValue] of Object.entries(values)) {
      const right = isRight(item?.[key], trueValue);
      count(score.values, right);
      if (item && item[key] !== undefined) leaves.push({ pointer: `${path}/${key}`, isRight: right, span });
    }
    if (item) {
      for (const key of absent) {
        count(score.invented, !isNothing(item[key]));
        if (item[key] !== undefined) leaves.push({ pointer: `${path}/${key}`, isRight: false, span: undefined });
      }
    }
    if (list.endKey === null) continue;
    const [start, end] = [readTime(item?.[list.startKey]), readTime(item?.[list.endKey])];
    score.overlap.all += 1;
    if (start !== undefined && end !== undefined) {
      score.overlap.of += overlapOf([start, end], [span.startMs, span.endMs]);
    }
  }
}

function count(ratio: Score["values"], holds: boolean): void {
  ratio.all += 1;
  if (holds) ratio.of += 1;
}

function isObject(value: unknown): value is GivenItem {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the pointers of the leaves of a value. Keys of the benchmark need no escapes. */
function leavesBelow(value: unknown, pointer: string): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesBelow(item, `${pointer}/${index}`));
  if (isObject(value))
    return Object.entries(value).flatMap(([key, inside]) => leavesBelow(inside, `${pointer}/${key}`));
  return [pointer];
}
