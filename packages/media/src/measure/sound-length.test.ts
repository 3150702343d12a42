import { expect, test } from "vitest";
import type { HeaderStream } from "./read-header.ts";
import { maxSoundSeconds, minSoundSeconds } from "./sound-length.ts";

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
