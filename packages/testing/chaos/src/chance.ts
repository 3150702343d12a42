import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";

/** Chance that is the same for the same seed, everywhere. */
export type Chance = {
  /** From 0, inclusive, to 1, exclusive. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
};

/** Opens chance from a seed, a whole number. */
export function chanceOf(seed: number): Chance {
  const generator = mersenne(seed);
  const between = (least: number, most: number) => uniformInt(generator, least, most);
  return {
    next: () => uniformFloat64(generator),
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
