import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";

/** Draws from a seed. */
export type Draw = {
  /** Returns a whole number from `min` to `max`. */
  whole(min: number, max: number): number;
  /** Returns one of the options. */
  one<T>(options: readonly T[]): T;
  /** Returns `count` different options in any order, or all of them. */
  some<T>(options: readonly T[], count: number): T[];
  /** Returns true with a probability. */
  chance(probability: number): boolean;
};

/** Creates a source of draws. The same seed always draws the same. */
export function createDraw(seed: number): Draw {
  const generator = mersenne(seed);
  const whole = (min: number, max: number) => uniformInt(generator, min, max);
  const one = <T>(options: readonly T[]) => options[whole(0, options.length - 1)] as T;
  return {
    whole,
    one,
    some(options, count) {
      const left = [...options];
      return Array.from({ length: Math.min(count, left.length) }, () => {
        return left.splice(whole(0, left.length - 1), 1)[0] as (typeof left)[number];
      });
    },
    chance: (probability) => uniformFloat64(generator) < probability,
  };
}
