import type { ClipWindow } from "./clip-question.ts";
import { wordsOf } from "./tokens.ts";

/** The events of a list that one window shows. */
export type WindowEvents = { window: ClipWindow; events: readonly ListEvent[] };

/** The first answer may be wrong by seconds. Two windows read the same clock. */
const reachOfAnswer: Reach = { alikeMs: 10_000, unlikeMs: 3_000 };
const reachOfSeam: Reach = { alikeMs: 4_000, unlikeMs: 2_000 };
/** An event this close to the edge of a window counts as cut off by it: one picture, and the time to notice. */
const edgeMs = 1_500;
/** A second report this soon after the first one is a repetition. */
const repeatMs = 1_500;
const sameLikeness = 0.8;

/**
 * Returns the events that the windows show and that are missing from the first answer, in order of time. An event that
 * a window cuts off does not count in this window, because the overlap shows all of it in the next one.
 */
export function newEvents(
  first: readonly ListEvent[],
  windows: readonly WindowEvents[],
  part: ClipWindow,
): ListEvent[] {
  const seen: ListEvent[] = [];
  for (const { window, events } of windows) {
    const whole = events.filter((event) => isWhole(event, window, part));
    seen.push(...unmatched(seen, whole, reachOfSeam));
  }
  const added: ListEvent[] = [];
  for (const event of unmatched(first, seen, reachOfAnswer).sort((a, b) => a.startMs - b.startMs)) {
    const repeats = (other: ListEvent) =>
      Math.abs(event.startMs - other.startMs) <= repeatMs && likeness(event, other) >= sameLikeness;
    if (![...first, ...added].some(repeats)) added.push(event);
  }
  return added;
}

/**
 * Inserts events into a list. In a list that is in order of time, forwards or backwards, each keeps the order. In other
 * lists they go to the end.
 */
export function insertByTime(list: readonly ListEvent[], added: readonly ListEvent[]): ListEvent[] {
  const isInOrder = (sign: number) =>
    list.every(({ startMs }, index) => sign * (startMs - (list[index - 1]?.startMs ?? startMs)) >= 0);
  const sign = [1, -1].find(isInOrder) ?? 0;
  const merged = [...list];
  for (const event of added) {
    const at = merged.findIndex(({ startMs }) => sign * (startMs - event.startMs) > 0);
    merged.splice(at < 0 ? merged.length : at, 0, event);
  }
  return merged;
}

function isWhole({ startMs, endMs }: ListEvent, { fromMs, toMs }: ClipWindow, part: ClipWindow): boolean {
  const lastMs = Math.max(startMs, endMs ?? startMs);
  if (startMs < fromMs || startMs > toMs) return false;
  const beginsInside = fromMs === part.fromMs || startMs >= fromMs + edgeMs;
  const endsInside = toMs === part.toMs || lastMs <= toMs - edgeMs;
  return beginsInside && endsInside;
}

/** An item of a list of moments: its JSON, its start and end, and the words of its other values. */
export type ListEvent = {
  text: string;
  startMs: number;
  /** Null if the item has only one time. */
  endMs: number | null;
  words: ReadonlySet<string>;
};

/** How far apart two reports of one event may begin, in milliseconds: with similar words, and with others. */
type Reach = { alikeMs: number; unlikeMs: number };

const minLikeness = 0.6;
/** When several events are near, the distance that a complete difference in words adds to that in time. */
const wordsMs = 4_000;

/**
 * Returns the events of `others` that no event of `known` matches. Each known event matches at most one; the nearest
 * and most similar pairs are matched first. Those that stay alone on both sides say the same in other words if they are near enough.
 */
function unmatched(known: readonly ListEvent[], others: readonly ListEvent[], reach: Reach): ListEvent[] {
  const pairs = known.flatMap((one) =>
    others.flatMap((other) => {
      const apartMs = Math.abs(one.startMs - other.startMs);
      const like = likeness(one, other);
      if (apartMs > reach.alikeMs) return [];
      const isFar = like < minLikeness && apartMs > reach.unlikeMs;
      return [{ one, other, isFar, cost: apartMs + wordsMs * (1 - like) }];
    }),
  );
  const [usedKnown, usedOthers] = [new Set<ListEvent>(), new Set<ListEvent>()];
  for (const { one, other } of pairs.sort((a, b) => Number(a.isFar) - Number(b.isFar) || a.cost - b.cost)) {
    if (usedKnown.has(one) || usedOthers.has(other)) continue;
    usedKnown.add(one);
    usedOthers.add(other);
  }
  return others.filter((other) => !usedOthers.has(other));
}

/** Returns the share of words that two events have in common, from 0 to 1. Two events without words count as equal. */
function likeness({ words: a }: ListEvent, { words: b }: ListEvent): number {
  if (a.size + b.size === 0) return 1;
  const common = [...a].filter((word) => b.has(word)).length;
  return (2 * common) / (a.size + b.size);
}

/** Returns the words of the values in a JSON text. It ignores the keys. */
export function wordsOfValues(json: string): Set<string> {
  const words = new Set<string>();
  JSON.parse(json, (_, value: unknown) => {
    if (value === null || typeof value === "object") return;
    for (const word of wordsOf(String(value))) words.add(word);
  });
  return words;
}
