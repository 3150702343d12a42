import { defaultLimits } from "@video-to-json/contract";
import { languages } from "@video-to-json/contract/languages";
import { expect, test } from "vitest";
import { compileSmallSketch } from "../sandbox/compile-sketch.ts";
import { findTimes } from "./find-times.ts";

const durationMs = 300_000;

/** Finds the times of an answer to a sketch. */
function timesOf(sketch: unknown, answer: unknown) {
  const compilation = compileSmallSketch(JSON.stringify(sketch), defaultLimits, null);
  if (!compilation || "details" in compilation) throw new Error("The sketch does not compile.");
  return findTimes(compilation.compiled, JSON.stringify(answer), durationMs);
}

function timesOfSchema(schema: unknown, answer: unknown) {
  const text = JSON.stringify(schema);
  return findTimes({ kind: "json-schema", schemaText: text, fullText: text }, JSON.stringify(answer), durationMs);
}

test("every timestamp of a sketch is found, with a description without times", () => {
  const sketch = {
    goals: [{ player: "string", at: "timestamp — the ball crosses the line", note: "string?" }],
    first_whistle: "timestamp",
  };
  const goals = [{ player: "Ada", at: "01:10", note: "a header at 1:10, after 70 seconds" }];
  const [whistle, goal] = timesOf(sketch, { goals, first_whistle: "00:03" });
  expect(whistle).toMatchObject({ pointer: "/first_whistle", what: 'The time asked for is "first_whistle".' });
  expect(goal).toEqual({
    pointer: "/goals/0/at",
    pointerForCaller: "/goals/0/at",
    form: { kind: "clock", groups: 2, firstDigits: 2, decimals: 0, point: "." },
    ...{ fromMs: 70_000, toMs: 71_000, edge: "start", mayBeEnd: false, otherEdge: null },
    what: 'An item of "goals" that says {"player":"Ada","note":"a header at …, after …"}. The time asked for is "at". "at" means: the ball crosses the line.',
  });
});

test("a description hides seconds, minutes and hours, as ICU writes them in any language, and no other number", () => {
  const lengths = languages.flatMap((language) =>
    ["second", "minute", "hour"].flatMap((unit) =>
      (["long", "short"] as const).flatMap((unitDisplay) => {
        const format = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay });
        return [1, 2, 5, 21, 70].map((count) => format.format(count));
      }),
    ),
  );
  const described = (note: string) =>
    timesOf({ goals: [{ at: "timestamp", note: "string" }] }, { goals: [{ at: "01:10", note }] })[0]?.what ?? "";
  const shown = lengths.filter((text) => /\p{Nd}/u.test(described(`x ${text} y`)));
  expect([lengths.length > 1_000, shown]).toEqual([true, []]);
  for (const text of ["a 100m sprint", "3 houses", "lap 5"]) expect(described(text)).toContain(text);
});

test("a start and an end are the edges of one thing", () => {
  const scenes = [{ start: "00:00", end: "00:10", color: "red" }];
  const found = timesOf({ scenes: [{ start: "timestamp", end: "timestamp", color: "string" }] }, { scenes });
  expect(found.map(({ pointer, edge, otherEdge }) => [pointer, edge, otherEdge])).toEqual([
    ["/scenes/0/start", "start", "/scenes/0/end"],
    ["/scenes/0/end", "end", "/scenes/0/start"],
  ]);
  expect(new Set(found.map(({ what }) => what))).toEqual(
    new Set(['An item of "scenes" that says {"color":"red"}. It lasts from "start" to "end".']),
  );
  const spans = timesOf({ breaks: [["timestamp", "timestamp"]] }, { breaks: [["00:01", "00:05"]] });
  expect(spans.map(({ pointer, edge }) => [pointer, edge])).toEqual([
    ["/breaks/0/0", "start"],
    ["/breaks/0/1", "end"],
  ]);
});

test.each([
  ["startsAt", "endsAt"],
  ["appears", "disappears"],
  ["enters", "leaves"],
  ["von", "bis"],
  ["in", "out"],
  ["beginn", "ende"],
  ["Startzeit", "Endzeit"],
  ["début", "fin"],
  ["hora_inicio", "hora_fin"],
  ["desde", "hasta"],
  ["início", "término"],
  ["inizio", "fine"],
  ["begintijd", "eindtijd"],
  ["starttid", "sluttid"],
  ["początek", "koniec"],
  ["začátek", "konec"],
  ["kezdet", "vége"],
  ["başlangıç", "bitiş"],
  ["alku", "loppu"],
  ["bắt_đầu", "kết_thúc"],
  ["waktu_mulai", "waktu_selesai"],
  ["начало", "конец"],
  ["время_начала", "время_окончания"],
  ["початок", "кінець"],
  ["έναρξη", "τέλος"],
  ["开始时间", "结束时间"],
  ["開始時刻", "終了時刻"],
  ["시작", "끝"],
  ["وقت البداية", "وقت النهاية"],
  ["התחלה", "סוף"],
  ["प्रारंभ", "समाप्ति"],
])("%s and %s are the edges of one thing, which lasts from one to the other", (from, to) => {
  const item = { [from]: "00:01", [to]: "00:05", what: "a goal" };
  const sketch = { events: [{ [from]: "timestamp", [to]: "timestamp", what: "string" }] };
  const [first, second] = timesOf(sketch, { events: [item] });
  expect([first?.edge, first?.otherEdge, second?.edge, second?.otherEdge]).toEqual([
    ...["start", second?.pointer],
    ...["end", first?.pointer],
  ]);
  expect([first?.what, second?.what]).toEqual([second?.what, expect.stringContaining("It lasts from")]);
});

const clock = { type: "string", pattern: "^[0-5][0-9]:[0-5][0-9]$" };

test.each([
  ["a list of up to two times", { maxItems: 2 }, [null, null]],
  ["a list of exactly two", { minItems: 2, maxItems: 2 }, ["/goals/1", "/goals/0"]],
  ["a tuple", { prefixItems: [clock, clock] }, ["/goals/1", "/goals/0"]],
])("of %s, only one that always has two is a span", (_, bounds, edges) => {
  const found = timesOfSchema({ properties: { goals: { items: clock, ...bounds } } }, { goals: ["00:05", "00:09"] });
  expect(found.map(({ otherEdge }) => otherEdge)).toEqual(edges);
});

test.each([
  ["match_start", "match_end", "break_start", "break_end"],
  ["試合開始", "試合終了", "休憩開始", "休憩終了"],
])("of %s, %s, %s and %s, each start has its own end", (...keys) => {
  const sketch = Object.fromEntries(keys.map((key) => [key, "timestamp"]));
  const found = timesOf(sketch, Object.fromEntries(keys.map((key, index) => [key, `00:0${index}`])));
  const [one, two, three, four] = keys.map((key) => `/${key}`);
  expect(found.map(({ otherEdge }) => otherEdge)).toEqual([two, one, four, three]);
});

test.each([
  ["t1", "t2"],
  ["tosach", "deireadh"],
  ["goal", "replay"],
  ["constructor", "startle"],
])("%s and %s are two moments, and only the later one may be an end", (first, second) => {
  const sketch = { [first]: "timestamp", [second]: "timestamp" };
  const edgesOf = (answer: object) =>
    timesOf(sketch, answer).map(({ pointer, edge, mayBeEnd, otherEdge }) => [pointer, edge, mayBeEnd, otherEdge]);
  const [one, two] = [`/${first}`, `/${second}`];
  expect(edgesOf({ [first]: "00:05", [second]: "00:09" })).toEqual([
    [one, "start", false, null],
    [two, "start", true, null],
  ]);
  expect(edgesOf({ [first]: "00:09", [second]: "00:05" })).toEqual([
    [one, "start", true, null],
    [two, "start", false, null],
  ]);
  expect(edgesOf({ [second]: "00:09" })).toEqual([[two, "start", false, null]]);
});

test("three times of one object are moments, each with a name of its own", () => {
  const match = { kickoff: "00:05", first_goal: "00:30", red_card: "00:50" };
  const sketch = Object.fromEntries(Object.keys(match).map((key) => [key, "timestamp"]));
  expect(timesOf(sketch, match).map(({ edge, mayBeEnd }) => [edge, mayBeEnd])).toEqual(Array(3).fill(["start", false]));
});

test("a time whose key says that it is a moment cannot be an end", () => {
  const times = timesOf({ goal_at: "timestamp", replay_at: "timestamp" }, { goal_at: "00:05", replay_at: "00:07" });
  expect(times.map(({ mayBeEnd, otherEdge }) => [mayBeEnd, otherEdge])).toEqual([
    [false, null],
    [false, null],
  ]);
});

test("three thousand times in one object, and a text of many digits, take little processor time", () => {
  const keys = Array.from({ length: 3_000 }, (_, index) => `k${index}_start`);
  const schema = { properties: Object.fromEntries(keys.map((key) => [key, { type: "string" }])) };
  const answer = Object.fromEntries(keys.map((key) => [key, "00:05"]));
  const before = process.cpuUsage();
  expect(timesOfSchema(schema, answer)).toHaveLength(3_000);
  expect(timesOfSchema({}, { goals: [{ at: "00:05", note: "7".repeat(200_000) }] })).toHaveLength(1);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(3);
});

test("times in a list that are not a span are moments of their own", () => {
  const found = timesOf({ cuts: ["timestamp"] }, { cuts: ["00:01", "00:05"] });
  expect(found.map(({ pointer, edge, what }) => [pointer, edge, what])).toEqual([
    ["/cuts/0", "start", 'An item of "cuts".'],
    ["/cuts/1", "start", 'An item of "cuts".'],
  ]);
});

test("a JSON Schema asks for times by key, description or pattern, as clocks or seconds", () => {
  const schema = {
    $defs: { clock: { type: "string", pattern: "^[0-5][0-9]:[0-5][0-9]$" } },
    properties: {
      intro: { $ref: "#/$defs/clock" },
      kickoff: { type: "string", description: "The moment when the ball is played, MM:SS" },
      start_seconds: { type: "number" },
      hit: { type: "integer", description: "Milliseconds from the start of the video" },
      duration: { type: "string", pattern: "^\\d\\d:\\d\\d$" },
      score: { type: "string" },
      seconds: { type: "number" },
      deep: { anyOf: [{ type: "null" }, { properties: { at: { type: "string" } } }] },
    },
  };
  const answer = {
    ...{ intro: "00:05", kickoff: "0:07", start_seconds: 12.5, hit: 1200, duration: "00:30", score: "21:15" },
    ...{ seconds: 4, deep: { at: "00:00:09" } },
  };
  expect(timesOfSchema(schema, answer).map(({ pointer, fromMs, toMs }) => [pointer, fromMs, toMs])).toEqual([
    ["/intro", 5000, 6000],
    ["/kickoff", 7000, 8000],
    ["/start_seconds", 12_500, 12_600],
    ["/hit", 1200, 1201],
    ["/deep/at", 9000, 10_000],
  ]);
});

test("a schema that refers to itself ends", () => {
  const schema = { $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { properties: { at: { type: "string" } } }] } } };
  expect(timesOfSchema({ ...schema, $ref: "#/$defs/a" }, { at: "00:01" })).toHaveLength(1);
});
