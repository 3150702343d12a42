import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readSuite, type SuiteVideo, videosOf } from "./read-suite.ts";
import { replay } from "./replay.ts";
import { overlapOfAll, scoreSpans } from "./score-spans.ts";
import { momentsIn, releasedAnswer } from "./suite-case.ts";

function writeFiles(files: Record<string, string>): (name: string) => string {
  const directory = mkdtempSync(join(tmpdir(), "suite-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return (name) => join(directory, name);
}

const span = (start: number, end: number) => ({ startMs: start * 1000, endMs: end * 1000 });
const vueTruth = (query_id: number, gt: number[][]) => ({
  query_id,
  video_id: "v",
  duration: 99.5,
  query: "a dog",
  gt,
});

test("both suites are read in the form in which their authors publish them, questions grouped by video", () => {
  const at = writeFiles({
    "truth.json": JSON.stringify([
      vueTruth(1, [[3, 7]]),
      { ...vueTruth(2, [[1, 2]]), video_id: "long", duration: 700 },
    ]),
    "answers.json": JSON.stringify([{ query_id: 1, answer: [[2.4, 7.1], []] }]),
    "truth.jsonl": `${JSON.stringify({ qid: 7, vid: "w", duration: 150, query: "a cat", relevant_windows: [[10, 20]] })}\n`,
    "answers.jsonl": `${JSON.stringify({ qid: 7, pred_relevant_windows: [[11, 20, 0.9]] })}\n`,
  });
  const vue = readSuite({ suite: "vue-tr", annotations: at("truth.json"), answers: at("answers.json") });
  expect(vue.map(({ released }) => released)).toEqual([[{ startMs: 2400, endMs: 7100 }], undefined]);
  expect(videosOf(vue, 600_000).map(({ id, durationMs }) => [id, durationMs])).toEqual([["v", 99_500]]);
  const highlights = { suite: "qvhighlights" as const, annotations: at("truth.jsonl"), answers: at("answers.jsonl") };
  expect(readSuite(highlights)).toMatchObject([{ id: "7", truth: [span(10, 20)], released: [span(11, 20)] }]);
});

test("a file of another suite is refused with its entry, and so are answers to other questions", () => {
  const at = writeFiles({
    "truth.json": JSON.stringify([vueTruth(1, [[3, 7]])]),
    "answers.json": JSON.stringify([{ query_id: 5, answer: [] }]),
  });
  const annotations = at("truth.json");
  expect(() => readSuite({ suite: "qvhighlights", annotations })).toThrow(/entry 1 does not have the form/);
  expect(() => readSuite({ suite: "vue-tr", annotations, answers: at("answers.json") })).toThrow("answers no question");
});

test("overlap counts each second once, and an answer to nothing is right only if it is empty", () => {
  expect(overlapOfAll([span(0, 10), span(5, 10)], [span(0, 20)])).toBeCloseTo(0.5);
  expect(overlapOfAll([span(0, 10)], [span(5, 10), span(12, 17)])).toBeCloseTo(1 / 3);
  expect([overlapOfAll([], []), overlapOfAll([span(0, 1)], [])]).toEqual([1, 0]);
});

test("a suite is scored as its authors do: areas under curves, or the first moment and mean precision", () => {
  const half = { truth: [span(0, 20)], given: [span(0, 9.5)] };
  expect(scoreSpans("vue-tr", [half]).overlap).toBeCloseTo(0.495);
  expect(scoreSpans("vue-tr", [half]).precision).toBeCloseTo(1);
  const second = { truth: [span(0, 10), span(50, 60)], given: [span(30, 40), span(50, 60)] };
  const scored = scoreSpans("qvhighlights", [second]);
  expect(scored).toMatchObject({ "R1@0.5": 0, "R1@0.7": 0 });
  expect(scored.mAP).toBeCloseTo(0.25);
});

/** A video with two questions. The released answers are wrong by `offMs`. */
function videoOf(index: number, offMs: number): SuiteVideo {
  const query = (id: string, truth: ReturnType<typeof span>) => ({
    ...{ id, videoId: "v", durationMs: 300_000, text: "a dog barks", truth: [truth] },
    released: [{ startMs: truth.startMs + offMs, endMs: truth.endMs + offMs }],
  });
  const [early, late] = [40 + 7 * index, 190 + 5 * index];
  const queries = [query(`${index}1`, span(early, early + 8)), query(`${index}2`, span(late, late + 7))];
  return { id: `v${index}`, durationMs: 300_000, queries };
}

test("released answers are given as they are, times after the end of the video at its end", () => {
  const video = videoOf(0, 0);
  expect(momentsIn(releasedAnswer(video), video.queries[0] as never)).toEqual([span(40, 48)]);
  const late = { ...video, durationMs: 45_000 };
  expect(momentsIn(releasedAnswer(late), video.queries[0] as never)).toEqual([span(40, 45)]);
});

test("a replay of right answers changes none of them, and one of wrong answers makes more of them right", async () => {
  const videos = (offMs: number) => Array.from({ length: 6 }, (_, index) => videoOf(index, offMs));
  const right = await replay("vue-tr", videos(0), { errors: { sigmaMs: 600 } });
  expect([right.worse.of, right.before.overlap]).toEqual([0, right.after.overlap]);
  const wrong = await replay("vue-tr", videos(6000), { errors: { sigmaMs: 300 } });
  expect(wrong.after.overlap ?? 0).toBeGreaterThan((wrong.before.overlap ?? 1) + 0.2);
});

test("the end of an event that is answered far too late moves to where its beginning shows it", async () => {
  const videos = [0, 1, 2].map((index) => {
    const { queries, ...video } = videoOf(index, 0);
    const late = queries.map((query) => ({
      ...query,
      released: query.released?.map(({ startMs, endMs }) => ({ startMs, endMs: endMs + 95_000 })),
    }));
    return { ...video, queries: late };
  });
  const { before, after } = await replay("vue-tr", videos, { errors: {} });
  expect(before.overlap).toBeLessThan(0.2);
  expect(after.overlap).toBeGreaterThan(0.9);
});
