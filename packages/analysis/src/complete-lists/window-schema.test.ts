import { expect, test } from "vitest";
import { windowSchema } from "./window-schema.ts";

test("the schema of a window holds its lists without bounds, and nothing else", () => {
  const item = { type: "object", properties: { at: { type: "string" } }, required: ["at"] };
  const list = { type: "array", description: "goals", items: item };
  const schema = {
    type: "object",
    properties: {
      title: { type: "string" },
      match: { $ref: "#/$defs/match" },
      cuts: { anyOf: [{ type: "array", minItems: 3, items: { type: "string" } }, { type: "null" }] },
    },
    required: ["title"],
    $defs: { match: { type: "object", properties: { goals: { ...list, maxItems: 9 }, venue: {} } } },
  };
  expect(windowSchema(schema, ["/match/goals", "/cuts"])).toEqual({
    type: "object",
    properties: {
      match: { type: "object", properties: { goals: list }, required: ["goals"] },
      cuts: { type: "array", items: { type: "string" } },
    },
    required: ["match", "cuts"],
    $defs: schema.$defs,
  });
  expect(windowSchema({ type: "array", items: item }, [""])).toEqual({ type: "array", items: item });
  expect(windowSchema(schema, ["/none"])).toBeUndefined();
});
