import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";

/** A video's bytes with something wrong in them; the same seed damages the same bytes in the same way each time. */
export function damageVideo(bytes: Buffer, seed: number): Buffer {
  const generator = mersenne(seed);
  const upTo = (most: number) => uniformInt(generator, 0, most - 1);
  // Headers are small and hold most of what is decided upon; they stand at either end of a file.
  const place = (length: number) => {
    const near = Math.min(4096, length);
    const where = upTo(3);
    return where === 0 ? upTo(near) : where === 1 ? length - 1 - upTo(near) : upTo(length);
  };
  let damaged: Buffer = Buffer.from(bytes);
  for (let left = 1 + upTo(8); left > 0 && damaged.length > 8; left--) {
    const at = place(damaged.length);
    const length = Math.min(1 + upTo(64), damaged.length - at);
    const wrong = upTo(7);
    if (wrong === 0) damaged[at] = upTo(256);
    else if (wrong === 1) damaged[at] = (damaged[at] ?? 0) ^ (1 << upTo(8));
    else if (wrong === 2) damaged.writeUInt32BE(extremes[upTo(extremes.length)] ?? 0, Math.min(at, damaged.length - 4));
    else if (wrong === 3) damaged.fill(upTo(2) * 255, at, at + length);
    else if (wrong === 4) damaged = Buffer.concat([damaged.subarray(0, at), damaged.subarray(at + length)]);
    else if (wrong === 5)
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
