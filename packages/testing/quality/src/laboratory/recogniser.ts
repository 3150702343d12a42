import { randomFrom } from "@video-to-json/testing/running";
import type { DrawnScreen } from "./drawn-screen.ts";
import type { Scene } from "./erring-model.ts";

/** A program that hears or reads what is in a video, and how it errs. */
export type Recogniser = {
  /** What it recognises: speech as words with times, or text on frames. */
  of: "speech" | "screen";
  /** Its times are late by this. */
  lateMs?: number;
  /** The shares of words that it mishears, and of frames that it cannot read. */
  miss?: number;
  /** Reads what is on the screen from drawn frames, as the product does. */
  drawn?: DrawnScreen;
};

/** Recognisers that err a little, and those that are late. */
export const recognisers: Readonly<Record<string, Recogniser | undefined>> = {
  none: undefined,
  speech: { of: "speech", miss: 0.1 },
  screen: { of: "screen", miss: 0.1 },
  "speech, 2 s late": { of: "speech", lateMs: 2000, miss: 0.1 },
  "screen, 2 s late": { of: "screen", lateMs: 2000, miss: 0.1 },
};

/** Returns the words of the scenes with times. */
export function hearScenes(scenes: readonly Scene[], { lateMs = 0, miss = 0 }: Recogniser, seed: number) {
  const draw = randomFrom(seed);
  return scenes.flatMap(({ text, startMs, endMs }) => {
    const words = text.split(" ");
    const each = (endMs - startMs) / words.length;
    return words.map((word, index) => ({
      text: draw.chance(miss) ? "hm" : word,
      startMs: Math.round(startMs + index * each + lateMs),
      endMs: Math.round(startMs + (index + 1) * each + lateMs),
    }));
  });
}

/** Returns the text of a frame; empty if it cannot read it. */
export function readScene(
  screenAt: (ms: number) => string,
  { lateMs = 0, miss = 0 }: Recogniser,
  { atMs, seed }: { atMs: number; seed: number },
): string {
  return randomFrom(seed * 1_000_003 + atMs).chance(miss) ? "" : screenAt(atMs - lateMs);
}
