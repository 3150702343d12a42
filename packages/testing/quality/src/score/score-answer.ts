import type { Span, TrueList, Truth, Value } from "../cases/case.ts";
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
  const at = (pointer: string) => ({ name: pointer, pointer, given: answer[pointer.slice(1)], span: undefined });
  count(scored.score.answered, data !== undefined);
  for (const { pointer, value } of truth.values) addValue(scored, at(pointer), value);
  for (const { pointer, ms, span } of truth.times) addTime(scored, { ...at(pointer), span }, ms);
  for (const list of truth.lists) addList(scored, at(list.pointer).given, list);
  for (const pointer of truth.absent) addNothing(scored, at(pointer), data !== undefined);
  return scored;
}

/** A place of an answer: its unique name, what is there, and the event that it is about. */
type Place = { name: string; pointer: string; given: unknown; span: Span | undefined };

function addValue({ score, leaves }: ScoredAnswer, { pointer, given, span }: Place, value: Value): void {
  const right = isRight(given, value);
  count(score.values, right);
  if (given !== undefined) leaves.push({ pointer, isRight: right, span });
}

function addTime({ score, times, leaves }: ScoredAnswer, { name, pointer, given, span }: Place, trueMs: number): void {
  const givenMs = readTime(given);
  const error = givenMs === undefined ? Number.POSITIVE_INFINITY : timeError(givenMs, trueMs);
  times.push({ name, trueMs, givenMs });
  count(score.withinHalf, error <= 500);
  count(score.withinOne, error <= 1000);
  count(score.withinTwo, error <= 2000);
  if (given !== undefined) leaves.push({ pointer, isRight: error <= 1000, span });
}

function addNothing({ score, leaves }: ScoredAnswer, { pointer, given }: Place, isAnswered: boolean): void {
  if (isAnswered) count(score.invented, !isNothing(given));
  leaves.push(...wrongLeaves(given, pointer));
}

function addList(scored: ScoredAnswer, value: unknown, list: TrueList): void {
  const { score, leaves } = scored;
  const given = Array.isArray(value) ? value.map((item): GivenItem => (isObject(item) ? item : {})) : [];
  const matched = matchItems(given, list);
  const starts = given.flatMap((item) => readTime(item[list.startKey]) ?? []);
  const isOrdered = starts.every((start, index) => index === 0 || start >= (starts[index - 1] ?? 0));
  if (given.length > 0) count(score.ordered, isOrdered);
  for (const [index, item] of given.entries()) {
    count(score.precise, matched[index] !== undefined);
    if (matched[index] === undefined) leaves.push(...wrongLeaves(item, `${list.pointer}/${index}`));
  }
  for (const [index, { span, times, values, absent }] of list.items.entries()) {
    const found = matched.indexOf(index);
    const item = given[found];
    const at = (key: string): Place => ({
      ...{ name: `${list.pointer}[${index}]/${key}`, pointer: `${list.pointer}/${found}/${key}` },
      ...{ given: item?.[key], span },
    });
    count(score.complete, item !== undefined);
    for (const [key, trueMs] of Object.entries(times)) addTime(scored, at(key), trueMs);
    for (const [key, trueValue] of Object.entries(values)) addValue(scored, at(key), trueValue);
    if (item) for (const key of absent) addNothing(scored, at(key), true);
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

/** Returns the leaves of a value, all of which are wrong. Keys of the benchmark need no escapes. */
function wrongLeaves(value: unknown, pointer: string): ScoredLeaf[] {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null) return [{ pointer, isRight: false, span: undefined }];
  return Object.entries(value).flatMap(([key, inside]) => wrongLeaves(inside, `${pointer}/${key}`));
}
