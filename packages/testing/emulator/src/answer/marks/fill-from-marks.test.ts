import { expect, test } from "vitest";
import type { Mark } from "../../evidence/evidence.ts";
import { writeJson } from "../answer.ts";
import { fillFromMarks } from "./fill-from-marks.ts";

const mark = (label: string, startMs: number, endMs: number, attributes: Record<string, string> = {}): Mark => ({
  ...{ label, startMs, endMs, via: "sight", attributes },
});
const marks = [
  mark("video", 0, 90_000, { final_score: "2:0", view_is_clear: "true" }),
  mark("near miss", 12_300, 20_000, { people: "3", kind: "truck" }),
  mark("near miss", 70_000, 71_500, { people: "1", kind: "crane", zone: "B" }),
];

const time = { type: "string", description: "MM:SS" };
function fill(properties: Record<string, object>, required: string[] = []) {
  return JSON.parse(writeJson(fillFromMarks({ type: "object", properties, required }, marks)));
}

test("a list has one item for each mark of its label, with times and attributes", () => {
  const item = {
    type: "object",
    properties: {
      ...{ start: time, end: time, people: { type: "integer" }, zone: { type: "string" } },
      kind: { enum: ["truck", "crane"] },
    },
    required: ["start", "end", "people", "kind"],
  };
  expect(fill({ near_misses: { type: "array", items: item } })).toEqual({
    near_misses: [
      { start: "00:12", end: "00:20", people: 3, kind: "truck" },
      { start: "01:10", end: "01:11", people: 1, kind: "crane", zone: "B" },
    ],
  });
});

test("facts, first and last moments and counts come from the marks", () => {
  const properties = {
    final_score: { type: "string" },
    view_is_clear: { type: "boolean" },
    first_near_miss_at: time,
    last_near_miss_end: time,
    near_miss_count: { type: "integer" },
  };
  expect(fill(properties)).toEqual({
    final_score: "2:0",
    view_is_clear: true,
    first_near_miss_at: "00:12",
    last_near_miss_end: "01:11",
    near_miss_count: 2,
  });
});

test("an event without a mark never happens: an empty list, false, and no optional value", () => {
  const properties = {
    fires: { type: "array", items: { type: "object", properties: { at: time } } },
    fire_at: time,
    speaker: { type: "string" },
    has_fire: { type: "boolean" },
    note: { type: ["string", "null"] },
  };
  expect(fill(properties, ["note"])).toEqual({ fires: [], has_fire: false, note: null });
});
