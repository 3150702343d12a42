import { expect, test } from "vitest";
import type { Mark } from "../evidence/evidence.ts";
import { marksAsked } from "./marks-asked.ts";

const mark = (label: string, startMs: number, attributes: Record<string, string>): Mark => {
  return { label, via: "sight", startMs, endMs: startMs + 1000, attributes };
};
const marks = [
  mark("incident", 1000, { kind: "fall", where: "left" }),
  mark("incident", 5000, { kind: "fire", where: "left" }),
  mark("goal", 7000, { player: "Ada" }),
];
const starts = (question: string) => marksAsked(marks, question).map(({ startMs }) => startMs);

test("the marks of a question have its label and agree with its facts", () => {
  expect(
    starts('An item of "incidents" that says {"kind":"fire","where":"left"}. The time asked for is "at".'),
  ).toEqual([5000]);
  expect(starts('An item of "incidents". The time asked for is "at".')).toEqual([1000, 5000]);
  expect(starts('The time asked for is "first_goal_at".')).toEqual([7000]);
  expect(starts('An item of "goals" that says {"player":"Ada","weather":"rain"}.')).toEqual([7000]);
  expect(starts('An item of "goals" that says {"player":"Bo"}.')).toEqual([]);
  expect(starts('An item of "cuts".')).toEqual([]);
});
