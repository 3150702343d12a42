import { defaultLimits } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { compileSmallSketch } from "../sandbox/compile-sketch.ts";
import { findLists } from "./find-lists.ts";

test("lists of times and of objects with a time are found in an answer to a sketch, empty ones too", () => {
  const sketch = {
    goals: [{ player: "string", at: "timestamp" }],
    chapters: [{ title: "string", span: ["timestamp", "timestamp"] }],
    cuts: ["timestamp"],
    intro: ["timestamp", "timestamp"],
    players: [{ name: "string" }],
    tags: ["string"],
    match: { cards: [{ color: "red|yellow", shown_at: "timestamp?" }] },
  };
  const compilation = compileSmallSketch(JSON.stringify(sketch), defaultLimits, null);
  if (!compilation || "details" in compilation) throw new Error("The sketch does not compile.");
  const answer = {
    goals: [],
    chapters: [],
    cuts: [],
    intro: ["00:01", "00:02"],
    players: [],
    tags: [],
    match: { cards: [] },
  };
  expect(findLists(compilation.compiled, JSON.stringify(answer))).toEqual([
    "/goals",
    "/chapters",
    "/cuts",
    "/match/cards",
  ]);
});

test("lists of moments are found in an answer to a JSON Schema, behind references too", () => {
  const schema = {
    type: "object",
    properties: {
      goals: { type: "array", items: { $ref: "#/$defs/goal" } },
      beeps: { type: "array", items: { type: "object", properties: { start_seconds: { type: "number" } } } },
      sides: { type: "array", items: { type: "object", properties: { position: { enum: ["left", "right"] } } } },
      counts: { type: "array", items: { type: "integer" } },
    },
    $defs: { goal: { type: "object", properties: { at: { type: "string", description: "MM:SS" } } } },
  };
  const text = JSON.stringify(schema);
  const answer = '{"goals":[],"beeps":[],"sides":[],"counts":[]}';
  expect(findLists({ kind: "json-schema", schemaText: text, fullText: text }, answer)).toEqual(["/goals", "/beeps"]);
});
