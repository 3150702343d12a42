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

test("keys that are not timestamps make no span", () => {
  expect(check('{"start":"b|a","end":"b|a"}', { start: "b", end: "a" }, 60_000)).toEqual([]);
});
