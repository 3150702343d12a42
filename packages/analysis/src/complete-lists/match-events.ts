/** An item of a list of moments: its JSON, its start and end, and the words of its other values. */
export type ListEvent = {
  text: string;
  startMs: number;
  /** Null if the item has only one time. */
  endMs: number | null;
  words: ReadonlySet<string>;
};

/** How far apart two reports of one event may begin, in milliseconds: with similar words, and with others. */
export type Reach = { alikeMs: number; unlikeMs: number };

const minLikeness = 0.6;
/** The distance that a complete difference in words counts as, when several events are near. */
const wordsMs = 4_000;

/**
 * Returns the events of `others` that no event of `known` matches. Each known event matches at most one; the nearest
 * and most similar pairs are matched first.
 */
export function unmatched(known: readonly ListEvent[], others: readonly ListEvent[], reach: Reach): ListEvent[] {
  const pairs = known.flatMap((one) =>
    others.flatMap((other) => {
      const apartMs = Math.abs(one.startMs - other.startMs);
      const like = likeness(one, other);
      if (apartMs > (like >= minLikeness ? reach.alikeMs : reach.unlikeMs)) return [];
      return [{ one, other, cost: apartMs + wordsMs * (1 - like) }];
    }),
  );
  const [usedKnown, usedOthers] = [new Set<ListEvent>(), new Set<ListEvent>()];
  for (const { one, other } of pairs.sort((a, b) => a.cost - b.cost)) {
    if (usedKnown.has(one) || usedOthers.has(other)) continue;
    usedKnown.add(one);
    usedOthers.add(other);
  }
  return others.filter((other) => !usedOthers.has(other));
}

/** Returns the share of words that two events have in common, from 0 to 1. Two events without words count as equal. */
export function likeness({ words: a }: ListEvent, { words: b }: ListEvent): number {
  if (a.size + b.size === 0) return 1;
  const common = [...a].filter((word) => b.has(word)).length;
  return (2 * common) / (a.size + b.size);
}

/** Returns the words of the values in a JSON text. Its keys do not count. */
export function wordsOf(json: string): Set<string> {
  const words = new Set<string>();
  JSON.parse(json, (_, value: unknown) => {
    if (value === null || typeof value === "object") return;
    for (const word of String(value)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [])
      words.add(word);
  });
  return words;
}
