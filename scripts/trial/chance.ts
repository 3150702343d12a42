/** Chance that is the same for the same seed, everywhere. */
export type Chance = {
  /** From 0, inclusive, to 1, exclusive. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
};

/** Opens chance from a seed, a whole number: mulberry32. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    pick(items) {
      const [item] = items.slice(between(0, items.length - 1));
      if (item === undefined) throw new RangeError("There is nothing to pick from.");
      return item;
    },
    shuffled(items) {
      const rest = [...items];
      return items.flatMap(() => rest.splice(between(0, rest.length - 1), 1));
    },
  };
}
