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

/** Returns a damaged copy of a video or a request. The same bytes and the same seed always give the same copy. */
export function damageBytes(bytes: Buffer, seed: number): Buffer {
  const generator = mersenne(seed);
  const upTo = (most: number) => uniformInt(generator, 0, most - 1);
  // Headers decide the most. They are small and at either end of a file.
  const place = (length: number) => {
    const near = Math.min(4096, length);
    const where = upTo(3);
    return where === 0 ? upTo(near) : where === 1 ? length - 1 - upTo(near) : upTo(length);
  };
  let damaged: Buffer = Buffer.from(bytes);
  for (let left = 1 + upTo(8); left > 0 && damaged.length > 8; left--) {
    const at = place(damaged.length);
    const length = Math.min(1 + upTo(64), damaged.length - at);
    const damage = upTo(7);
    if (damage === 0) damaged[at] = upTo(256);
    else if (damage === 1) damaged[at] = (damaged[at] ?? 0) ^ (1 << upTo(8));
    else if (damage === 2)
      damaged.writeUInt32BE(extremes[upTo(extremes.length)] ?? 0, Math.min(at, damaged.length - 4));
    else if (damage === 3) damaged.fill(upTo(2) * 255, at, at + length);
    else if (damage === 4) damaged = Buffer.concat([damaged.subarray(0, at), damaged.subarray(at + length)]);
    else if (damage === 5)
      damaged = Buffer.concat([
        damaged.subarray(0, at + length),
        damaged.subarray(at, at + length),
        damaged.subarray(at),
      ]);
    else if (upTo(4) === 0) damaged = damaged.subarray(0, at + 1);
  }
  return damaged;
}

const extremes = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff8, 0x10000, 0x01000000];
