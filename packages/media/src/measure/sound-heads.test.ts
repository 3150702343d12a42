import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { flacSeconds, opusSeconds, sumSoundHeads } from "./sound-heads.ts";

test.each([
  ["SILK, one frame of 60 ms", [3 << 3], 0.06],
  ["SILK, two frames of 20 ms", [(1 << 3) | 1], 0.04],
  ["hybrid, one frame of 20 ms", [13 << 3], 0.02],
  ["CELT, two frames of 2.5 ms", [(16 << 3) | 2], 0.005],
  ["CELT, six frames of 20 ms", [(19 << 3) | 3, 6], 0.12],
  ["more frames than a packet may hold", [(3 << 3) | 3, 0xff], 0.12],
])("an Opus packet (%s) plays as long as its first bytes say", (_name, bytes, seconds) => {
  expect(opusSeconds(Buffer.from(bytes))).toBeCloseTo(seconds, 6);
});

const flac = (...bytes: readonly number[]) => Buffer.from([0xff, 0xf8, ...bytes, ...Array<number>(10).fill(0)]);

test.each([
  ["a code for its size and rate", flac(0xc9, 0x18, 0), 4096 / 44_100],
  ["the rate of the stream", flac(0xc0, 0x18, 0), 4096 / 16_000],
  ["a size of 8 bits after a frame number of 2 bytes", flac(0x69, 0x18, 0xc2, 0x80, 99), 100 / 44_100],
  ["a size of 16 bits", flac(0x7a, 0x18, 0, 0x3f, 0xff), 16_384 / 48_000],
  ["a rate of 16 bits", flac(0xcd, 0x18, 0, 0x1f, 0x40), 4096 / 8000],
])("a FLAC frame with %s plays as long as its head says", (_name, head, seconds) => {
  expect(flacSeconds(head, 16_000)).toBeCloseTo(seconds, 9);
});

test("bytes that are not a head give no length", () => {
  expect(opusSeconds(Buffer.alloc(0))).toBeNull();
  expect(flacSeconds(Buffer.alloc(16), 8000)).toBeNull();
  expect(flacSeconds(flac(0xc9).subarray(0, 4), 8000)).toBeNull();
});

test("the packets of a file are summed up until they exceed the limit", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sound-heads-"));
  await writeFile(join(folder, "file"), Buffer.alloc(1000, 3 << 3));
  await using file = await open(join(folder, "file"));
  const positions = [0, 500, 999, 5000];
  const sum = (codec: string, maxSeconds: number) =>
    sumSoundHeads(file, codec, positions, { samplesPerSecond: 48_000, maxSeconds });
  expect(await sum("opus", 60)).toBeCloseTo(0.18, 6);
  expect(await sum("opus", 0.1)).toBeCloseTo(0.12, 6);
  expect(await sum("aac", 60)).toBe(0);
  await rm(folder, { recursive: true });
});
