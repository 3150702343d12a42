import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { HeaderStream } from "./read-header.ts";
import { flacSeconds, maxSoundSeconds, minSoundSeconds, opusSeconds, sumSoundHeads } from "./sound-length.ts";

function minSecondsOf(
  codec: string,
  rate: number,
  packets: number,
  of: Partial<HeaderStream> = {},
  format = "mov",
): number {
  const stream: HeaderStream = {
    ...{ index: 0, kind: "audio", codec, profile: "LC", width: 0, height: 0, still: false, encrypted: false },
    ...{ samplesPerSecond: rate, channels: 1, bitsPerSample: 0, declaredSeconds: null, ...of },
  };
  const seen = { seconds: 1, packets, bytes: 1000 * packets, summedSeconds: 0.5 * packets };
  return minSoundSeconds({ format, brand: null, declaredSeconds: null, streams: [stream] }, stream, seen);
}

test("packets of sound last at least as long as their frames, whatever the time stamps say", () => {
  expect(minSecondsOf("aac", 8000, 15_000)).toBe(1800);
  expect(minSecondsOf("mp3", 48_000, 1250)).toBe(30);
  expect(minSecondsOf("ac3", 48_000, 1250)).toBe(40);
  expect(minSecondsOf("opus", 48_000, 400)).toBe(1);
});

test("the shortest frames that a codec allows count, also at the doubled rate of HE-AAC", () => {
  expect(minSecondsOf("aac", 48_000, 50, { profile: "HE-AAC" })).toBe(1);
  expect(minSecondsOf("aac", 48_000, 100, { profile: "ELD" })).toBe(1);
  expect(minSecondsOf("mp3", 24_000, 1250)).toBe(30);
});

test("the length of uncompressed sound follows from its bytes", () => {
  expect(minSecondsOf("pcm_s16le", 8000, 16, { bitsPerSample: 16 })).toBe(1);
  expect(minSecondsOf("pcm_s16le", 8000, 16, { bitsPerSample: 16, channels: 2 })).toBe(0.5);
  expect(minSecondsOf("pcm_dvd", 8000, 16)).toBe(0);
});

test("the sound of a broadcast lasts as long as the durations that ffmpeg reads, because its rate may change", () => {
  expect(minSecondsOf("mp2", 8000, 100, {}, "mpegts")).toBe(50);
});

test("AAC in a broadcast uses its shortest frames, and a change from 44.1 to 48 kHz is accepted", () => {
  const shortest = minSecondsOf("aac", 44_100, 6000, {}, "mpegts");
  const real = (6000 * 1024) / 48_000;
  expect(shortest).toBeGreaterThan(real);
  expect(shortest).toBeLessThan(maxSoundSeconds(real));
});

test("in Matroska and Ogg, Opus and FLAC play as long as ffmpeg reads from their first bytes", () => {
  expect(minSecondsOf("opus", 48_000, 100, {}, "matroska,webm")).toBe(50);
  expect(minSecondsOf("opus", 96_000, 100, {}, "matroska,webm")).toBe(100);
  expect(minSecondsOf("flac", 8000, 100, {}, "ogg")).toBe(50);
});

test("a stream that is not sound, or has an unknown codec or rate, has no minimum", () => {
  expect(minSecondsOf("aac", 8000, 100, { kind: "other" })).toBe(0);
  expect(minSecondsOf("aac", 0, 100)).toBe(0);
  expect(minSecondsOf("tta", 8000, 100)).toBe(0);
});

test("sound may exceed the video by two seconds or 5 %, for rounding and drift", () => {
  expect(maxSoundSeconds(10)).toBe(12);
  expect(maxSoundSeconds(600)).toBe(630);
});

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
