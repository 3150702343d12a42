import { createHash } from "node:crypto";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";

/** The halves of the seeds. The blinded half is not looked at while the service is changed. */
export const halves = ["open", "blinded"] as const;
export type Half = (typeof halves)[number];

/** Returns the half that a seed belongs to, by the first bit of a hash. */
export function halfOf(seed: number): Half {
  const digest = createHash("sha256").update(`video-to-json quality ${seed}`).digest();
  return (digest[0] as number) < 128 ? "open" : "blinded";
}

/** Returns the first `count` seeds of a half, from 1 on. */
export function firstSeeds(half: Half, count: number): number[] {
  const seeds: number[] = [];
  for (let seed = 1; seeds.length < count; seed++) if (halfOf(seed) === half) seeds.push(seed);
  return seeds;
}

const maxSeeds = 10_000;
const maxSeed = 2 ** 31 - 1;

/** Reads seeds such as `7`, `1-20` or `3,9,100-104`. Throws when the text has another form. */
export function readSeeds(text: string): number[] {
  const seeds = text.split(",").flatMap((part) => {
    const range = /^\s*(\d{1,10})(?:\s*-\s*(\d{1,10}))?\s*$/.exec(part);
    const from = Number(range?.[1]);
    const to = Number(range?.[2] ?? range?.[1]);
    if (!range || to < from || to > maxSeed || to - from >= maxSeeds) {
      throw new Error(`--seeds takes numbers and ranges such as 1-20 or 3,9, not ${text}.`);
    }
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
  return [...new Set(seeds)];
}

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
