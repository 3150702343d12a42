import { expect, test } from "vitest";
import { findErrors } from "./sample.ts";

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

test("a correct answer has no errors", () => {
  expect(findErrors(answer, truth, true)).toEqual([]);
});

test("each wrong part of an answer is an error", () => {
  const wrong = { title_card: "HELO", main_color: "blue", cuts: [{ at: "00:05" }] };
  expect(findErrors(wrong, truth, true).map((line) => line.split(" is ")[0])).toEqual([
    "cuts",
    "silent_spans",
    "main_color",
    "title_card",
  ]);
  expect(findErrors(null, truth, true)).toHaveLength(4);
});

test("a title that cannot be read or was not drawn is optional", () => {
  const { title_card: _, ...untitled } = answer;
  expect(findErrors(untitled, truth, false)).toEqual([]);
  const [first, ...rest] = truth.scenes;
  const undrawn = { ...truth, scenes: [...(first ? [{ ...first, text: null }] : []), ...rest] };
  expect(findErrors(untitled, undrawn, true)).toEqual([]);
});
