import { expect, test } from "vitest";
import { parseJson } from "../json/parse-json.ts";
import { findMoments } from "./find-moments.ts";
import { activeMoments, litPointers, momentOfField } from "./moment.ts";

const moments = findMoments(
  parseJson(
    JSON.stringify({
      title: "Match",
      halves: [
        { start: "00:00", end: "00:10" },
        { start: "00:10", end: "00:20" },
      ],
      goals: [
        { at: "00:05", by: { name: "Okafor" } },
        { at: "00:07", by: { name: "Lind" } },
      ],
    }),
  ),
);
const activeAt = (time: number) => activeMoments(moments, time).map(({ container }) => container);

test.each([
  [0, ["/halves/0"]],
  [4.99, ["/halves/0"]],
  [5, ["/halves/0", "/goals/0"]],
  [6.99, ["/halves/0", "/goals/0"]],
  [7, ["/halves/0", "/goals/1"]],
  [10, ["/halves/1", "/goals/1"]],
  [11, ["/halves/1"]],
  [20, []],
])("at %d s, %j are highlighted", (time, containers) => {
  expect(activeAt(time)).toEqual(containers);
});

test("a span within one second is highlighted for that second", () => {
  const [span] = findMoments(parseJson('{"start":"00:03","end":"00:03"}'));
  expect([2.9, 3, 3.9, 4].map((time) => activeMoments(span ? [span] : [], time).length)).toEqual([0, 1, 1, 0]);
});

test("a moment of the video highlights its fields and their object", () => {
  expect([...litPointers(activeMoments(moments, 5))]).toEqual([
    "/halves/0/start",
    "/halves/0/end",
    "/halves/0",
    "/goals/0/at",
    "/goals/0",
  ]);
});

test.each([
  ["/goals/1/at", 7],
  ["/goals/1/by/name", 7],
  ["/goals/0", 5],
  ["/halves/1/end", 10],
  ["/title", undefined],
  ["/goals", undefined],
])("the field %s leads to %j s", (pointer, seconds) => {
  expect(momentOfField(moments, pointer)?.from).toBe(seconds);
});
