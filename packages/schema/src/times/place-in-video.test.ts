import { defaultLimits } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { createSchemaReader } from "../json-schema/schema-reader.ts";
import { fullDialect } from "../lean/schema-dialect.ts";
import { checkAnswer } from "../sandbox/check-answer.ts";
import { compileSchema } from "../sandbox/compile-schema.ts";
import { createKeptValidators } from "../sandbox/kept-validators.ts";

const reader = createSchemaReader();
/** From 01:00 to 01:30 of a longer video. */
const part = { fromMs: 60_000, toMs: 90_000 };

function check(schema: object, answer: object, seen = part) {
  const outcome = compileSchema(reader, JSON.stringify(schema), defaultLimits, fullDialect);
  if ("details" in outcome) throw new Error(outcome.details.join());
  const checked = checkAnswer(createKeptValidators(reader), outcome.compiled, JSON.stringify(answer), seen.toMs, seen);
  return checked.ok ? JSON.parse(checked.text) : checked.violations;
}

const sketch = {
  goals: [{ at: "timestamp", "until?": "timestamp", by: "string" }],
  score: "string",
  start_seconds: "number",
};
const answer = (...times: string[]) => ({
  goals: times.map((at) => ({ at, by: "00:03" })),
  score: "00:02",
  start_seconds: 3.5,
});

test("a model that counts from the start of the clip is understood: its times move to the whole video", () => {
  expect(check(sketch, answer("00:00", "0:07", "00:30"))).toEqual({
    goals: ["01:00", "01:07", "01:30"].map((at) => ({ at, by: "00:03" })),
    ...{ score: "00:02", start_seconds: 63.5 },
  });
});

test("a model that counts from the start of the video is understood if no time is ambiguous", () => {
  const counted = {
    goals: ["01:00", "01:07", "01:30"].map((at) => ({ at, by: "x" })),
    score: "s",
    start_seconds: 63.5,
  };
  expect(check(sketch, counted)).toEqual(counted);
});

test("if a time is ambiguous, one past the end of the clip is a violation that says how to count", () => {
  const early = { fromMs: 10_000, toMs: 90_000 };
  expect(check(sketch, answer("00:12"), early)).toMatchObject({ goals: [{ at: "00:22" }] });
  // Each of these times is also in the part of the video.
  expect(check(sketch, { ...answer("00:12", "01:25"), start_seconds: 12.5 }, early)).toEqual([
    "/goals/1/at: 01:25 is past the end of the clip, which ends at 01:20; count from the start of the clip, which is 00:00",
  ]);
});

test("times that are neither in the clip nor in its part of the video are violations", () => {
  expect(check(sketch, answer("00:07", "00:45"))).toEqual([
    expect.stringMatching(/^\/goals\/1\/at: 00:45 is past the end/),
  ]);
  expect(check(sketch, answer("01:07", "02:45"))).toHaveLength(2);
});

test("a span that ends before it starts is still a violation", () => {
  const goals = [{ start: "00:07", end: "00:05" }];
  expect(check({ goals: [{ start: "timestamp", end: "timestamp" }] }, { goals })).toEqual([
    expect.stringContaining('is before "start"'),
  ]);
});

test("in a JSON Schema, positions in the video move, in the form in which they are written, and nothing else", () => {
  const position = { type: "string", description: "The moment when it starts." };
  const schema = {
    type: "object",
    properties: {
      events: {
        type: "array",
        items: { type: "object", properties: { starts: position, end_seconds: { type: "number" } } },
      },
      duration: { type: "string" },
      result: { type: "string" },
      offset_ms: { type: "integer", maximum: 90_000 },
    },
  };
  const given = {
    events: [{ starts: "0:05.4", end_seconds: 7.25 }],
    duration: "00:12",
    result: "00:21",
    offset_ms: 1500,
  };
  expect(check(schema, given)).toEqual({
    ...given,
    events: [{ starts: "1:05.4", end_seconds: 67.25 }],
    offset_ms: 61_500,
  });
  expect(check(schema, { events: [{ starts: "00:25" }], duration: "00:45" })).toMatchObject({ duration: "00:45" });
});

test("the caller's schema is enforced on the times of the whole video", () => {
  const schema = { type: "object", properties: { at: { type: "string", pattern: "^01:[0-5][0-9]$" } } };
  expect(check(schema, { at: "00:05" })).toEqual({ at: "01:05" });
});
