import type { TrueItem, TrueList } from "../cases/case.ts";
import { isRight, readTime, timeError } from "./compare.ts";

/** An item of an answer. */
export type GivenItem = Record<string, unknown>;

const nearMs = 2000;
const farMs = 15_000;
const minAlike = 0.5;

/**
 * Returns for each item of an answer the index of the true item that it reports, or undefined. Each true item is
 * matched once at most: the nearest report counts, others are duplicates.
 */
export function matchItems(given: readonly GivenItem[], list: TrueList): (number | undefined)[] {
  const pairs = given.flatMap((item, from) =>
    list.items.flatMap((truth, to) => {
      const cost = costOf(item, truth, list.startKey);
      return cost === undefined ? [] : [{ from, to, cost }];
    }),
  );
  const matched: (number | undefined)[] = given.map(() => undefined);
  const taken = new Set<number>();
  for (const { from, to } of pairs.sort((a, b) => a.cost - b.cost || a.from - b.from || a.to - b.to)) {
    if (matched[from] !== undefined || taken.has(to)) continue;
    matched[from] = to;
    taken.add(to);
  }
  return matched;
}

/** Returns how far an item is from a true one, in milliseconds, or undefined if it reports something else. */
function costOf(item: GivenItem, { times, values }: TrueItem, startKey: string): number | undefined {
  const at = readTime(item[startKey]);
  if (at === undefined) return undefined;
  const error = timeError(at, times[startKey] as number);
  const keys = Object.entries(values);
  const alike = keys.length === 0 ? 1 : keys.filter(([key, value]) => isRight(item[key], value)).length / keys.length;
  const reports = error <= nearMs || (error <= farMs && alike >= minAlike);
  return reports ? error + (1 - alike) * farMs : undefined;
}
