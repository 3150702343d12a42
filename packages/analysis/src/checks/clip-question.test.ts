import { expect, test } from "vitest";
import { clipQuestion, readClipAnswer } from "./clip-question.ts";

test("the question about a clip names its part of the video and holds every thing to look for, in the schema and as text", () => {
  const { prompt, responseSchema } = clipQuestion({ fromMs: 70_000, toMs: 92_500 }, ["a goal by Ada", "the whistle"]);
  expect(prompt).toContain("from 01:10.0 to 01:32.5");
  expect(prompt).toContain("When does this happen? a goal by Ada");
  expect(Object.keys(responseSchema?.properties as object)).toEqual(["question_1", "question_2"]);
  expect(responseSchema?.required).toEqual(["question_1", "question_2"]);
});

const window = { fromMs: 60_000, toMs: 80_000, framesPerSecond: 5 };
const read = (answer: unknown) => readClipAnswer(JSON.stringify({ question_1: answer }), 1, window)[0];

test("times are read in the forms in which models write them", () => {
  for (const from of ["01:03.5", "1:03.50", "00:01:03,5", 63.5, "63.5", "63.5 s"]) {
    expect(read({ seen: "here", times: [{ from, to: from }] }), String(from)).toEqual({
      seen: "here",
      spans: [{ startMs: 63_500, endMs: 63_700 }],
    });
  }
});

test("sightings are in order of time", () => {
  const times = [
    { from: "01:10", to: "01:10" },
    { from: "01:02", to: "01:04" },
  ];
  expect(read({ seen: "here", times })?.spans).toEqual([
    { startMs: 62_000, endMs: 64_200 },
    { startMs: 70_000, endMs: 70_200 },
  ]);
});

test("an answer that cannot be used is unclear, never an absence", () => {
  const unclear = { seen: "unclear", spans: [] };
  expect(read({ seen: "cannot_tell", times: [] })).toEqual(unclear);
  expect(read({ seen: "here", times: [] })).toEqual(unclear);
  expect(read({ seen: "not_here", times: [{ from: "01:02", to: "01:04" }] })).toEqual(unclear);
  // Counted from the start of the clip, not read from its clock.
  expect(read({ seen: "here", times: [{ from: "00:03", to: "00:05" }] })).toEqual(unclear);
  // An end before its start, and one time of several that is not in the clip.
  expect(read({ seen: "here", times: [{ from: "01:10", to: "01:08" }] })).toEqual(unclear);
  const usable = { from: "01:02", to: "01:04" };
  expect(read({ seen: "here", times: [usable, { from: "02:02", to: "02:04" }] })).toEqual(unclear);
  expect(read({ seen: "cannot_tell", times: [usable] })).toEqual(unclear);
  expect(read({ seen: "yes", times: [usable] })).toEqual(unclear);
  expect(read("01:02")).toEqual(unclear);
  expect(readClipAnswer("not JSON", 2, window)).toEqual([unclear, unclear]);
  expect(read({ seen: "not_here", times: [] })).toEqual({ seen: "not_here", spans: [] });
});
