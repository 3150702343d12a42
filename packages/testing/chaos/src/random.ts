import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";

/** Random numbers that are the same for the same seed on every machine. */
export type Random = {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** Returns a whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  pick<T>(items: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
};

/** Creates random numbers from a seed, a whole number. */
export function randomFrom(seed: number): Random {
  const generator = mersenne(seed);
  const between = (min: number, max: number) => uniformInt(generator, min, max);
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
