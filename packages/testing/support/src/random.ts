import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";

/** Random choices that are the same for the same seed on every machine. */
export type Random = {
  /** Returns a whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number;
  /** Returns one of the items. Throws when there are no items. */
  one<T>(items: readonly T[]): T;
  /** Returns `count` different items in any order, or all of them. */
  some<T>(items: readonly T[], count?: number): T[];
  chance(probability: number): boolean;
};

/** Creates random choices from a seed, a whole number. */
export function randomFrom(seed: number): Random {
  const generator = mersenne(seed);
  const whole = (min: number, max: number) => uniformInt(generator, min, max);
  return {
    whole,
    one: <T>(items: readonly T[]) => items[whole(0, items.length - 1)] as T,
    some(items, count = items.length) {
      const left = [...items];
      return items.slice(0, count).flatMap(() => left.splice(whole(0, left.length - 1), 1));
    },
    chance: (probability) => uniformFloat64(generator) < probability,
  };
}
