import type { TimeClaim } from "@video-to-json/schema";
import { expect, test } from "vitest";
import type { SpokenWord } from "../analysis-provider.ts";
import type { QuoteChecks, ScreenReading } from "./check-quotes.ts";
import { compareWords } from "./compare-words.ts";
import { findBeside, openWitness } from "./witness.ts";

const say = (text: string, startMs: number): SpokenWord[] =>
  text
    .split(" ")
    .map((word, index) => ({ text: word, startMs: startMs + index * 300, endMs: startMs + index * 300 + 300 }));
const claim = (fromMs: number, edge: "start" | "end" = "start") =>
  ({ pointer: "/at", fromMs, toMs: fromMs + 999, edge }) as TimeClaim;
const run = { signal: new AbortController().signal, deadline: new Date() };
const witnessOf = (
  data: object,
  {
    words = [] as SpokenWord[],
    screen = (_ms: number, _reading: ScreenReading): string | null => null,
    searches = true,
  } = {},
) => {
  const frames: number[] = [];
  const second: number[] = [];
  const runs: number[] = [];
  const beside = findBeside({ dataText: JSON.stringify(data), pointers: ["/at"], words });
  const readScreens = async ({ times, reading }: { times: readonly number[]; reading: ScreenReading }) => {
    (reading === "first" ? frames : second).push(...times);
    runs.push(times.length);
    return times.map((atMs) => screen(atMs, reading));
  };
  const compare = async (asked: { text: string; quote: string }) => compareWords(asked);
  return {
    frames,
    second,
    runs,
    witness: openWitness(beside, { readScreens, compare, durationMs: 120_000, searches }),
  };
};

test("the words beside a time are heard where most of them are said, but not if that is twice", () => {
  const data = { at: "00:05", quote: "We have to leave, now!" };
  const once = [...say("we stay here to wait and", 1_000), ...say("we have too leave now", 20_000)];
  const { witness } = witnessOf(data, { words: once });
  expect([witness.heard(claim(5_000)), witness.heard(claim(5_000, "end"))]).toEqual([20_000, 21_500]);
  const twice = witnessOf(data, {
    words: [...once, ...say("we have to leave", 40_000), ...say("we have to leave now", 50_000)],
  });
  expect(twice.witness.heard(claim(5_000))).toBe(50_000);
  const same = witnessOf(data, {
    words: [...say("we have to leave now", 20_000), ...say("we have to leave now", 50_000)],
  });
  expect(same.witness.heard(claim(5_000))).toBeUndefined();
  expect(
    witnessOf({ at: "00:05", who: "Ada" }, { words: say("ada ada ada", 1_000) }).witness.heard(claim(5_000)),
  ).toBeUndefined();
});

/** Says a text as a recogniser writes it down: in pieces of two characters, with another word for the first one. */
const hear = (text: string, startMs: number): SpokenWord[] =>
  (text.match(/.{1,2}/gsu) ?? []).map((piece, index) => ({
    text: index === 0 ? "嗯嗯" : piece,
    ...{ startMs: startMs + index * 300, endMs: startMs + index * 300 + 300 },
  }));

test.each([
  ["Japanese", "明日の会議は三時に始まります", "来週の試合は大阪で行われます"],
  ["Chinese", "我们明天下午三点开始开会", "下一场比赛将在上海举行"],
  ["Thai", "การประชุมเริ่มเวลาบ่ายสามโมง", "ทีมของเราชนะการแข่งขัน"],
])("a sentence in %s is heard, although it has no spaces and the recogniser cuts other words", (_, said, other) => {
  const words = [...hear(other, 10_000), ...hear(said, 30_000)];
  const heardOf = (quote: string) => witnessOf({ at: "00:05", quote }, { words }).witness.heard(claim(5_000));
  expect([heardOf(said), heardOf(other)]).toEqual([30_000, 10_000]);
  expect(heardOf(said.slice(0, 3))).toBeUndefined();
  expect(heardOf([...said].toReversed().join(""))).toBeUndefined();
});

test("texts beside a time are read in their script, and not at all in a script without a reader", async () => {
  const scripts: unknown[] = [];
  const readScreens: QuoteChecks["readScreens"] = async ({ times, script }) => {
    scripts.push(script);
    return times.map((ms) => (ms >= 10_300 ? "СЧЁТ 3-1" : ""));
  };
  const isEdge = async (data: object) => {
    const beside = findBeside({ dataText: JSON.stringify({ at: "00:10", ...data }), pointers: ["/at"], words: [] });
    const compare = async (asked: { text: string; quote: string }) => compareWords(asked);
    const witness = openWitness(beside, { readScreens, compare, durationMs: 120_000, searches: true });
    return witness.isEdgeAt(claim(10_000), 10_500, run);
  };
  expect(await isEdge({ kind: "score", text: "СЧЁТ 3-1" })).toBe(true);
  expect(new Set(scripts)).toEqual(new Set(["Cyrillic"]));
  expect(await isEdge({ text: "คะแนน 3-1" })).toBe(false);
  expect(new Set(scripts)).toEqual(new Set(["Cyrillic"]));
});

test("a text of two characters is looked for on the screen in Chinese, and one of three letters in English is not", async () => {
  const screen = (ms: number) => (ms >= 10_300 && ms < 14_000 ? "开会 Ada" : "");
  const edgeOf = (text: string) =>
    witnessOf({ at: "00:10", text }, { screen }).witness.isEdgeAt(claim(10_000), 10_500, run);
  expect([await edgeOf("开会"), await edgeOf("Ada")]).toEqual([true, false]);
});

const shown = (fromMs: number, toMs: number) => (ms: number) =>
  ms >= fromMs && ms < toMs ? "SCORE 3-1\nlive" : "live";

test("a text that appears within a second of a time is an edge, and one that is always there is not", async () => {
  const { witness } = witnessOf({ at: "00:10", text: "SCORE 3-1" }, { screen: shown(10_300, 14_000) });
  expect(await witness.isEdgeAt(claim(10_000), 10_500, run)).toBe(true);
  expect(await witness.isEdgeAt(claim(10_000), 12_500, run)).toBe(false);
  expect(await witness.isEdgeAt(claim(13_000, "end"), 13_500, run)).toBe(true);
  const always = witnessOf({ at: "00:10", text: "SCORE 3-1" }, { screen: shown(0, 120_000) });
  expect(await always.witness.isEdgeAt(claim(10_000), 10_500, run)).toBe(false);
  // The answer has misread a digit, and the text is the same.
  const misread = witnessOf({ at: "00:10", text: "SCORE 3-7" }, { screen: shown(10_300, 14_000) });
  expect(await misread.witness.isEdgeAt(claim(10_000), 10_500, run)).toBe(true);
});

test("a search finds the one moment nearby when a text appears, to half a second, and reads at most 40 frames a job", async () => {
  const { witness, frames, second, runs } = witnessOf(
    { at: "00:10", text: "SCORE 3-1" },
    { screen: shown(17_000, 25_000) },
  );
  expect(Math.abs(((await witness.findEdge(claim(10_000), run)) ?? 0) - 17_000)).toBeLessThanOrEqual(500);
  expect(frames.length).toBeLessThanOrEqual(14);
  // The frames around the time are read together, those near the edge alone.
  expect(runs.length).toBeLessThanOrEqual(4);
  for (let ms = 20_000; ms < 110_000; ms += 10_000) await witness.findEdge(claim(ms), run);
  expect(frames.length).toBeLessThanOrEqual(40);
  expect(second).toEqual([]);
  const unread = witnessOf({ at: "00:10", text: "SCORE 3-1" });
  expect(await unread.witness.findEdge(claim(10_000), run)).toBeUndefined();
});

test("a witness that does not search still reads the frames beside a time", async () => {
  const screen = shown(10_300, 14_000);
  const { witness, frames } = witnessOf({ at: "00:10", text: "SCORE 3-1" }, { screen, searches: false });
  expect(await witness.findEdge(claim(5_000), run)).toBeUndefined();
  expect(frames).toEqual([]);
  expect(await witness.isEdgeAt(claim(10_000), 10_500, run)).toBe(true);
});

test("where only the second reading shows a text, it reads the others too, with at most 24 frames a job", async () => {
  const tilted = (ms: number, reading: ScreenReading) => (reading === "second" ? shown(17_000, 25_000)(ms) : "");
  const { witness, frames, second } = witnessOf({ at: "00:10", text: "SCORE 3-1" }, { screen: tilted });
  expect(await witness.isEdgeAt(claim(10_000), 10_500, run)).toBe(false);
  expect(await witness.isEdgeAt(claim(24_600, "end"), 25_100, run)).toBe(true);
  const before = frames.length;
  expect(Math.abs(((await witness.findEdge(claim(10_000), run)) ?? 0) - 17_000)).toBeLessThanOrEqual(500);
  for (let ms = 20_000; ms < 110_000; ms += 10_000) await witness.findEdge(claim(ms), run);
  expect([frames.length - before, second.length]).toEqual([0, 24]);
});

test("a text that no reading shows costs four frames of the second one, and one that the first shows costs none", async () => {
  const nowhere = witnessOf({ at: "00:10", text: "SCORE 3-1" }, { screen: () => "live" });
  const seen = witnessOf({ at: "00:10", text: "SCORE 3-1" }, { screen: shown(17_000, 25_000) });
  expect(await seen.witness.isEdgeAt(claim(17_000), 17_500, run)).toBe(true);
  for (const { witness } of [nowhere, seen])
    for (let ms = 30_000; ms < 60_000; ms += 3_000) expect(await witness.isEdgeAt(claim(ms), ms, run)).toBe(false);
  expect([nowhere.second.length, seen.second.length]).toEqual([4, 0]);
});
