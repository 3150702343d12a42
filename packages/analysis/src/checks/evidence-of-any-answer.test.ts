import { type Leaf, leavesOf } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { gather, resolve } from "./gather-evidence.harness.ts";

/** A generator of pseudo-random numbers from 0 to 1 (mulberry32). The same seed gives the same numbers. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const keys = ["a", "at", "", "/", "~", "~1", "a/b", "m~n", "10", "2", "__proto__", "constructor", "é", " ", "0"];

function randomValue(random: () => number, depth: number): unknown {
  const kind = Math.floor(random() * (depth > 0 ? 9 : 6));
  const many = Math.floor(random() * 4);
  if (kind === 6 || kind === 7) {
    const members = Array.from({ length: many }, () => [
      keys[Math.floor(random() * keys.length)],
      randomValue(random, depth - 1),
    ]);
    return Object.fromEntries(members);
  }
  if (kind === 8) return Array.from({ length: many }, () => randomValue(random, depth - 1));
  return [null, true, 0, -1.5, "00:07", "text", "", "00:59"][Math.floor(random() * 8)];
}

const modalities = ["visual", "speech", "text", "smell", 7];
const times = ["00:00", "00:30", "01:00", "00:59.9", "9:99", "", "99:00", null];

function randomReply(random: () => number, leaves: readonly Leaf[]): unknown {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)];
  const spans = () =>
    Array.from({ length: Math.floor(random() * 3) }, () => ({
      from: pick(times),
      to: pick(times),
      modality: pick(modalities),
      quote: pick(["text", "", undefined, 3]),
    }));
  const about = [...leaves.map(({ pointer }) => pointer), "/none", "a", 3];
  return {
    fields: about
      .filter(() => random() < 0.8)
      .map((pointer) => ({
        pointer,
        where: pick(["moments", "whole_video", "nowhere", 1]),
        spans: random() < 0.9 ? spans() : pick([null, "x"]),
      })),
  };
}

test("for any answer and any reply of the model: every leaf occurs once, every pointer resolves, every span is in the video", async () => {
  for (let seed = 1; seed <= 400; seed++) {
    const random = randomOf(seed);
    const data = randomValue(random, 4);
    const leaves = leavesOf(data);
    const readScreens = async ({ times }: { times: readonly number[] }) =>
      random() < 0.2 ? null : times.map(() => (random() < 0.5 ? "text" : random() < 0.5 ? null : ""));
    const { evidence } = await gather({ data, reply: randomReply(random, leaves), checks: { readScreens } });
    const stands = [...Object.keys(evidence.fields), ...evidence.whole_video];
    expect(stands.sort(), `seed ${seed}`).toEqual(leaves.map(({ pointer }) => pointer).sort());
    expect(new Set(stands).size).toBe(stands.length);
    for (const pointer of stands) {
      const value = resolve(data, pointer);
      expect(typeof value !== "object" || value === null || Object.keys(value).length === 0).toBe(true);
    }
    for (const { spans, confidence } of Object.values(evidence.fields)) {
      expect(confidence === null || (confidence >= 0 && confidence <= 1)).toBe(true);
      for (const { start_ms, end_ms } of spans)
        expect(0 <= start_ms && start_ms <= end_ms && end_ms <= 60_000).toBe(true);
    }
  }
});
