import { expect, test } from "vitest";
import type { HeaderStream } from "./read-header.ts";
import { maxSoundSeconds, minSoundSeconds } from "./sound-length.ts";

function leastOf(codec: string, rate: number, packets: number, of: Partial<HeaderStream> = {}, format = "mov"): number {
  const stream: HeaderStream = {
    ...{ index: 0, kind: "audio", codec, profile: "LC", width: 0, height: 0, still: false, encrypted: false },
    ...{ samplesPerSecond: rate, channels: 1, bitsPerSample: 0, declaredSeconds: null, ...of },
  };
  const seen = { seconds: 1, packets, bytes: 1000 * packets, summedSeconds: 0.5 * packets };
  return minSoundSeconds({ format, brand: null, declaredSeconds: null, streams: [stream] }, stream, seen);
}

test("packets of sound last no less than their frames, whatever the time stamps say", () => {
  expect(leastOf("aac", 8000, 15_000)).toBe(1800);
  expect(leastOf("mp3", 48_000, 1250)).toBe(30);
  expect(leastOf("ac3", 48_000, 1250)).toBe(40);
  expect(leastOf("opus", 48_000, 400)).toBe(1);
});

test("the shortest frames that a codec allows are taken, at the doubled rate too", () => {
  expect(leastOf("aac", 48_000, 50, { profile: "HE-AAC" })).toBe(1);
  expect(leastOf("aac", 48_000, 100, { profile: "ELD" })).toBe(1);
  expect(leastOf("mp3", 24_000, 1250)).toBe(30);
});

test("sound that is not compressed lasts as long as its bytes", () => {
  expect(leastOf("pcm_s16le", 8000, 16, { bitsPerSample: 16 })).toBe(1);
  expect(leastOf("pcm_s16le", 8000, 16, { bitsPerSample: 16, channels: 2 })).toBe(0.5);
  expect(leastOf("pcm_dvd", 8000, 16)).toBe(0);
});

test("a broadcast's sound lasts as long as ffmpeg read from its frames, as the rate may change on the way", () => {
  expect(leastOf("mp2", 8000, 100, {}, "mpegts")).toBe(50);
});

test("a broadcast's AAC is held to its shortest frames: a change from 44.1 to 48 kHz is nothing to refuse", () => {
  const least = leastOf("aac", 44_100, 6000, {}, "mpegts");
  const real = (6000 * 1024) / 48_000;
  expect(least).toBeGreaterThan(real);
  expect(least).toBeLessThan(maxSoundSeconds(real));
});

test("what is no sound, or of a codec or rate that is not known, is not held to anything", () => {
  expect(leastOf("aac", 8000, 100, { kind: "other" })).toBe(0);
  expect(leastOf("aac", 0, 100)).toBe(0);
  expect(leastOf("tta", 8000, 100)).toBe(0);
});

test("two seconds and a twentieth are left for rounding and drift", () => {
  expect(maxSoundSeconds(10)).toBe(12);
  expect(maxSoundSeconds(600)).toBe(630);
});
