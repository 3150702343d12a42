import { expect, test } from "vitest";
import { readJson } from "../json/read-json.ts";
import { violationText } from "../json-schema/violation.ts";
import { checkTimes } from "./check-times.ts";
import { readSketch } from "./read-sketch.ts";

const bounds = { maxDepth: 64, maxValues: 10_000 };
const check = (sketchText: string, answer: object, durationMs: number) => {
  const node = readJson(sketchText, bounds);
  const reading = node.kind === "object" ? readSketch(node) : { errors: [] };
  if ("errors" in reading) throw new Error(reading.errors.join());
  return checkTimes(reading.sketch, readJson(JSON.stringify(answer), bounds), durationMs).map(violationText);
};

test("a time past the last second of the video is a violation", () => {
  const sketch = '{"cuts":[{"at":"string"}],"seen?":["time"]}';
  expect(check(sketch, { cuts: [{ at: "00:12" }], seen: ["00:00"] }, 12_480)).toEqual([]);
  expect(check(sketch, { cuts: [{ at: "00:01" }, { at: "00:13" }], seen: ["01:00"] }, 12_480)).toEqual([
    "/cuts/1/at: 00:13 is past the end of the video, which ends at 00:12",
    "/seen/0: 01:00 is past the end of the video, which ends at 00:12",
  ]);
});

test("a span may not end before it starts, for each pair of keys that the sketch language names", () => {
  for (const [start, end] of [
    ["start", "end"],
    ["startsAt", "endsAt"],
    ["start_time", "end_time"],
  ]) {
    const sketch = `{"spans":[{"${start}":"string","${end}?":"string"}]}`;
    const answer = (from: string, to: string) => ({ spans: [{ [`${start}`]: from, [`${end}`]: to }] });
    expect(check(sketch, answer("00:05", "00:05"), 60_000)).toEqual([]);
    expect(check(sketch, answer("00:05", "00:04"), 60_000)[0]).toMatch(
      new RegExp(`^/spans/0/${end}: is before "${start}"`),
    );
    expect(check(sketch, { spans: [{ [`${start}`]: "00:05" }] }, 60_000)).toEqual([]);
  }
});

test.for([
  ["from", "to"],
  ["start", "end_time"],
  ["startsAt", "end"],
  ["from", "end"],
  ["start_time", "to"],
] as const)("a span of %s and %s may not end before it starts", ([start, end]) => {
  const sketch = `{"${start}":"time","${end}":"time"}`;
  expect(check(sketch, { [start]: "00:05", [end]: "00:05" }, 60_000)).toEqual([]);
  expect(check(sketch, { [start]: "00:05", [end]: "00:04" }, 60_000)).toEqual([
    `/${end}: is before "${start}"; a span ends when it starts or later`,
  ]);
});

test("an array that the sketch writes as two timestamps is a span", () => {
  const sketch = '{"shots":[["timestamp","timestamp — the cut"]],"seen":["time"]}';
  expect(check(sketch, { shots: [["00:01", "00:02"]], seen: ["00:05", "00:04"] }, 60_000)).toEqual([]);
  expect(
    check(
      sketch,
      {
        shots: [
          ["00:01", "00:02"],
          ["00:05", "00:03"],
        ],
        seen: [],
      },
      60_000,
    ),
  ).toEqual(["/shots/1/1: is before the first time; a span ends when it starts or later"]);
  expect(check(sketch, { shots: [["00:05", "00:03", "00:01"], ["00:05"]], seen: [] }, 60_000)).toEqual([]);
});

test("starts and ends without a clear pair are not a span", () => {
  const sketch = '{"start":"time","from":"time","end_time":"time"}';
  expect(check(sketch, { start: "00:05", from: "00:06", end_time: "00:01" }, 60_000)).toEqual([]);
  expect(check('{"from":"string","to":"string"}', { from: "00:05", to: "00:01" }, 60_000)).toEqual([]);
  const both = '{"start":"time","end":"time","from":"time","to":"time"}';
  expect(check(both, { start: "00:01", end: "00:02", from: "00:04", to: "00:03" }, 60_000)).toEqual([
    '/to: is before "from"; a span ends when it starts or later',
  ]);
});

test("keys that are not timestamps make no span", () => {
  expect(check('{"start":"b|a","end":"b|a"}', { start: "b", end: "a" }, 60_000)).toEqual([]);
});
