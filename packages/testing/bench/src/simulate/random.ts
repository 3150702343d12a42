import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { mersenne } from "pure-rand/generator/mersenne";

/** Random numbers that are the same for the same seed on every machine. */
export type Random = {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** Uniform from `min` to `max` on a logarithmic scale, like the times of a provider. */
  logarithmic(min: number, max: number): number;
  /** The time until the next of independent events, with `rate` events per second. */
  untilNext(rate: number): number;
};

/** Creates random numbers from a seed, a whole number. */
export function randomFrom(seed: number): Random {
  const generator = mersenne(seed);
  const next = () => uniformFloat64(generator);
  return {
    next,
    logarithmic: (min, max) => min * (max / min) ** next(),
    untilNext: (rate) => -Math.log(1 - next()) / rate,
  };
}
