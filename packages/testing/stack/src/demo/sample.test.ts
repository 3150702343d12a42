import { expect, test } from "vitest";
import { untruths } from "./sample.ts";

const truth = {
  durationMs: 12_000,
  cuts: [5, 8],
  scenes: [
    { start: 0, end: 5, color: "red", text: "HELLO WORLD", sound: "tone" as const },
    { start: 5, end: 8, color: "green", text: null, sound: "silence" as const },
    { start: 8, end: 12, color: "blue", text: null, sound: "tone" as const },
  ],
};
const answer = {
  title_card: "HELLO WORLD",
  main_color: "red",
  cuts: [{ at: "00:05" }, { at: "00:08" }],
  silent_spans: [{ start: "00:05", end: "00:08" }],
};

test("an answer that is true of the video is let pass", () => {
  expect(untruths(answer, truth, true)).toEqual([]);
});

test("every untrue part of an answer is told", () => {
  const untrue = { title_card: "HELO", main_color: "blue", cuts: [{ at: "00:05" }] };
  expect(untruths(untrue, truth, true).map((line) => line.split(" is ")[0])).toEqual([
    "cuts",
    "silent_spans",
    "main_color",
    "title_card",
  ]);
  expect(untruths(null, truth, true)).toHaveLength(4);
});

test("a title that cannot be read or was not drawn is not asked for", () => {
  const { title_card: _, ...untitled } = answer;
  expect(untruths(untitled, truth, false)).toEqual([]);
  const [first, ...rest] = truth.scenes;
  const undrawn = { ...truth, scenes: [...(first ? [{ ...first, text: null }] : []), ...rest] };
  expect(untruths(untitled, undrawn, true)).toEqual([]);
});
