import type { TrueItem, TrueList, Value } from "../cases/case.ts";

/** Returns whether an answer gives the true value. Case, spaces and punctuation of a text do not count. */
export function isRight(given: unknown, value: Value): boolean {
  if (typeof value === "boolean") return given === value;
  if (typeof value === "number") return typeof given === "number" && Math.abs(given - value) < 1e-6;
  return typeof given === "string" && plain(given) === plain(value);
}

/** Returns whether a place of an answer is empty. */
export function isNothing(given: unknown): boolean {
  return given === undefined || given === null || given === "" || (Array.isArray(given) && given.length === 0);
}

/** Returns a time of an answer in milliseconds: `MM:SS`, `HH:MM:SS` or seconds. Undefined if it is not a time. */
export function readTime(given: unknown): number | undefined {
  if (typeof given === "number") return given >= 0 ? given * 1000 : undefined;
  const parts = typeof given === "string" ? /^(?:(\d+):)?(\d{1,3}):(\d\d(?:\.\d+)?)$/.exec(given) : null;
  return parts ? (Number(parts[1] ?? 0) * 3600 + Number(parts[2]) * 60 + Number(parts[3])) * 1000 : undefined;
}

/** A time in whole seconds may be the nearest second, or the one that contains the event. In milliseconds. */
export function timeError(givenMs: number, trueMs: number): number {
  return Math.min(Math.abs(givenMs - trueMs), Math.abs(givenMs - Math.floor(trueMs / 1000) * 1000));
}

/** Returns the intersection over union of a span and the true one. Edges that are right in whole seconds count as true. */
export function overlapOf(given: readonly [number, number], truth: readonly [number, number]): number {
  const [start, end] = given.map((ms, index) => {
    const exact = truth[index] as number;
    return timeError(ms, exact) < 1000 && Math.floor(exact / 1000) * 1000 === ms ? exact : ms;
  }) as [number, number];
  const shared = Math.min(end, truth[1]) - Math.max(start, truth[0]);
  const all = Math.max(end, truth[1]) - Math.min(start, truth[0]);
  return all <= 0 ? 1 : Math.max(0, shared) / all;
}

function plain(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** An item of an answer. */
export type GivenItem = Record<string, unknown>;

const nearMs = 2000;
const farMs = 15_000;
const minAlike = 0.5;

/** Returns the true item that each item reports. Each is matched once: the nearest counts, others are duplicates. */
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
