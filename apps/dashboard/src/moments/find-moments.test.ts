import { expect, test } from "vitest";
import { parseJson } from "../json/parse-json.ts";
import { findMoments, lanesOf } from "./find-moments.ts";
import { secondsOf, timeText } from "./moment.ts";

const momentsOf = (value: unknown, duration?: number) => findMoments(parseJson(JSON.stringify(value)), duration);
const brief = (value: unknown) => momentsOf(value).map(({ kind, pointer, from, to }) => [kind, pointer, from, to]);

test("every time is a point at its pointer", () => {
  expect(
    brief({
      goals: [
        { at: "00:41", team: "home" },
        { at: "03:08", team: "away" },
      ],
    }),
  ).toEqual([
    ["point", "/goals/0/at", 41, 41],
    ["point", "/goals/1/at", 188, 188],
  ]);
});

test("a start and an end in one object are a span", () => {
  const [span] = momentsOf({ chapters: [{ start: "00:00", end: "01:12", topic: "Feeding the starter" }] });
  expect(span).toEqual({
    kind: "span",
    pointer: "/chapters/0/start",
    from: 0,
    to: 72,
    fields: ["/chapters/0/start", "/chapters/0/end"],
    container: "/chapters/0",
    lane: "/chapters/*",
    label: "Feeding the starter",
  });
});

test.each([
  ["startsAt", "endsAt"],
  ["start_time", "end_time"],
  ["from", "to"],
  ["intro_start", "intro_end"],
  ["begin", "end"],
  ["startTime", "endTime"],
  ["in", "out"],
  ["beginn", "ende"],
  ["開始時刻", "終了時刻"],
])("%s and %s are a pair", (start, end) => {
  expect(brief({ [start]: "00:01", [end]: "00:04" })).toEqual([["span", `/${start}`, 1, 4]]);
});

test("two pairs in one object are two spans", () => {
  expect(brief({ intro_start: "00:00", intro_end: "00:05", outro_start: "00:50", outro_end: "01:00" })).toEqual([
    ["span", "/intro_start", 0, 5],
    ["span", "/outro_start", 50, 60],
  ]);
});

test("an end before its start makes two points, not a span", () => {
  expect(brief({ start: "00:09", end: "00:02" }).map(([kind]) => kind)).toEqual(["point", "point"]);
});

test("a list of pairs holds spans, a list of times holds points", () => {
  expect(
    brief({
      shots: [
        ["00:00", "00:04"],
        ["00:04", "00:19"],
      ],
      cuts: ["00:04", "00:19"],
    }),
  ).toEqual([
    ["span", "/shots/0", 0, 4],
    ["span", "/shots/1", 4, 19],
    ["point", "/cuts/0", 4, 4],
    ["point", "/cuts/1", 19, 19],
  ]);
});

test("a time after the end of the video is not a moment", () => {
  expect(momentsOf({ at: "00:13", ratio: "16:09" }, 12.48).map(({ from }) => from)).toEqual([13]);
});

test("moments of one kind share a lane, which is named after them and in the order of time", () => {
  const lanes = lanesOf(momentsOf({ match: { goals: [{ at: "00:41" }, { at: "00:08" }] }, ends_seen: "00:50" }));
  expect(lanes.map(({ name, moments }) => [name, moments.map(({ from }) => from)])).toEqual([
    ["match › goals", [8, 41]],
    ["ends_seen", [50]],
  ]);
});

test.each([
  ["00:05", 5],
  ["5:03", 303],
  ["1:00:05", 3605],
  ["16:9", undefined],
  ["00:60", undefined],
  ["at 00:05", undefined],
])("%j is %j seconds", (text, seconds) => {
  expect(secondsOf(text)).toBe(seconds);
});

test("seconds are written as times of the video", () => {
  expect([0, 5.9, 72, 600].map(timeText)).toEqual(["00:00", "00:05", "01:12", "10:00"]);
});
