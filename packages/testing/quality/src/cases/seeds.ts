import { createHash } from "node:crypto";

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
