import type { Answer } from "../answer.ts";
import type { Schema } from "../schema.ts";
import { endWords, writeTime } from "../timestamp.ts";
import { hasAny, wordsOf } from "../words.ts";
import type { Chance } from "./chance.ts";
import type { ModelError } from "./model-error.ts";

/** A time in an object of the answer. */
export type TimeLeaf = { key: string; schema: Schema; ms: number };

const minuteMs = 60_000;

/** Returns the times of one object, changed as the model errs. No start is later than its end. */
export function shiftTimes(
  times: readonly TimeLeaf[],
  error: ModelError,
  durationMs: number,
  chance: Chance,
): number[] {
  const before = times.map(({ ms }) => ms);
  if (error.kind === "minute") {
    if (chance("minute") >= error.probability) return before;
    const signs = chance("sign") < 0.5 ? [1, -1] : [-1, 1];
    const moved = signs.map((sign) => before.map((ms) => ms + sign * minuteMs));
    return moved.find((all) => all.every((ms) => ms >= 0 && ms <= durationMs)) ?? before;
  }
  const after = [...before];
  for (const [index, { key, ms }] of times.entries()) {
    if (chance(key) >= error.probability) continue;
    const size = Math.round((error.minMs + chance(key, "size") * (error.maxMs - error.minMs)) / 1000) * 1000;
    const candidates = chance(key, "sign") < 0.5 ? [ms + size, ms - size] : [ms - size, ms + size];
    const fits = (moved: number) => moved >= 0 && moved <= durationMs && isOrdered(times, after, index, moved);
    after[index] = candidates.find(fits) ?? ms;
  }
  return after;
}

/** Returns a time in the form of its field. */
export function writeLeaf({ schema }: TimeLeaf, ms: number, old: Answer): Answer {
  return typeof old === "number" ? ms / 1000 : writeTime(ms, schema);
}

/** Returns whether a moved time stays on its side of every other edge of the object. */
function isOrdered(times: readonly TimeLeaf[], now: readonly number[], index: number, moved: number): boolean {
  const isEnd = (leaf: TimeLeaf | undefined) => hasAny(wordsOf(leaf?.key ?? ""), ...endWords);
  return now.every((other, at) => {
    if (at === index || isEnd(times[at]) === isEnd(times[index])) return true;
    return isEnd(times[index]) ? moved >= other : moved <= other;
  });
}
