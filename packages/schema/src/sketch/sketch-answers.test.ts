import fc from "fast-check";
import { expect, test } from "vitest";
import { toExactValue } from "../json/json-value.ts";
import { type JsonNode, readJson } from "../json/read-json.ts";
import { objectNode, stringNode, writeJson } from "../json/write-json.ts";
import { createSchemaReader } from "../json-schema/schema-reader.ts";
import { compileValidator } from "../json-schema/validator.ts";
import { arrangeAnswer } from "../sandbox/check-answer.ts";
import { readSketch } from "./read-sketch.ts";
import type { Sketch, SketchPlace } from "./sketch.ts";
import { sketchToJsonSchema } from "./sketch-to-json-schema.ts";

const bounds = { maxDepth: 64, maxValues: 10_000 };
const read = (text: string) => readJson(text, bounds);
const reader = createSchemaReader();

function readSketchText(text: string): Sketch {
  const node = read(text);
  const reading = node.kind === "object" ? readSketch(node) : { errors: ["not an object"] };
  if ("errors" in reading) throw new Error(reading.errors.join());
  return reading.sketch;
}

function conforms(sketch: Sketch, answer: JsonNode): boolean {
  return compileValidator(reader.relink(sketchToJsonSchema(sketch)))(toExactValue(answer)).length === 0;
}

const key = fc.oneof(
  fc.constantFrom("a", "at", "10", "2", "__proto__", "constructor", "toString", "start", "~/", "é"),
  fc.string({ maxLength: 5 }).filter((name) => !name.endsWith("?")),
);
const leaf = fc.constantFrom(
  '"string"',
  '"int"',
  '"number?"',
  '"bool — is it on"',
  '"time"',
  '"x|y?"',
  '"what it says"',
  "0",
  "0.0",
  "true",
  "[]",
);

const { sketch: sketchText } = fc.letrec<{ sketch: string; value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    tie("sketch"),
    tie("value").map((inner) => `[${inner}]`),
  ),
  sketch: fc
    .uniqueArray(fc.tuple(key, fc.boolean(), tie("value")), { maxLength: 4, selector: ([name]) => name })
    .map(
      (fields) =>
        `{${fields.map(([name, optional, value]) => `${JSON.stringify(name + (optional ? "?" : ""))}:${value}`).join(",")}}`,
    ),
}));

/** A conforming answer with its keys in reverse order, nulls in optional fields and times in other forms. */
function looseAnswer(place: SketchPlace): JsonNode {
  switch (place.kind) {
    case "object": {
      const fields = place.fields.map(
        ({ name, optional, place: inner }) => [name, optional ? { kind: "null" } : looseAnswer(inner)] as const,
      );
      return objectNode(fields.toReversed() as [string, JsonNode][]);
    }
    case "array":
      return { kind: "array", items: [looseAnswer(place.items), looseAnswer(place.items)] };
    case "enum":
      return stringNode(place.options[0] ?? "");
    case "timestamp":
      return stringNode("0:05");
    case "boolean":
      return { kind: "boolean", value: true };
    case "integer":
      return { kind: "number", raw: "12345678901234567890" };
    case "number":
      return { kind: "number", raw: "1.50" };
    case "string":
      return stringNode("text");
  }
}

function expectOrder(place: SketchPlace, answer: JsonNode): void {
  if (place.kind === "object" && answer.kind === "object") {
    const wanted = place.fields.filter(({ optional }) => !optional).map(({ name }) => name);
    expect(answer.members.map((member) => member.key)).toEqual(wanted);
    for (const member of answer.members) {
      const field = place.fields.find(({ name }) => name === member.key);
      if (field) expectOrder(field.place, member.value);
    }
  } else if (place.kind === "array" && answer.kind === "array") {
    for (const item of answer.items) expectOrder(place.items, item);
  }
}

test("an arranged answer to any sketch conforms and has the sketch's order at every level", () => {
  fc.assert(
    fc.property(sketchText, (text) => {
      const sketch = readSketchText(text);
      const arranged = arrangeAnswer(sketch, looseAnswer(sketch));
      expectOrder(sketch, arranged);
      expect(conforms(sketch, arranged), text).toBe(true);
      expect(writeJson(arranged)).not.toMatch(/"0:05"|1\.5[^0]/);
    }),
    { numRuns: 60 },
  );
});

test("arranging an arranged answer changes nothing", () => {
  fc.assert(
    fc.property(sketchText, fc.jsonValue(), (text, other) => {
      const sketch = readSketchText(text);
      for (const answer of [
        looseAnswer(sketch),
        readJson(JSON.stringify(other), { maxDepth: 1000, maxValues: 100_000 }),
      ]) {
        const once = arrangeAnswer(sketch, answer);
        expect(arrangeAnswer(sketch, once)).toEqual(once);
      }
    }),
  );
});

test("objects are strict: no required key may be missing and no unknown key may be added", () => {
  const sketch = readSketchText('{"a":"string","b?":0,"c":{}}');
  const verdict = (answer: string) => conforms(sketch, arrangeAnswer(sketch, read(answer)));
  expect(verdict('{"c":{},"a":"x"}')).toBe(true);
  expect(verdict('{"a":"x","b":null,"c":{}}')).toBe(true);
  expect(verdict('{"c":{}}')).toBe(false);
  expect(verdict('{"a":null,"c":{}}')).toBe(false);
  expect(verdict('{"a":"x","c":{},"d":1}')).toBe(false);
  expect(verdict('{"a":"x","c":{"d":1}}')).toBe(false);
});

test("the types of a sketch are enforced", () => {
  const sketch = readSketchText('{"i":0,"n":0.0,"e":"a|b","t":"time","b":true}');
  const verdict = (change: object) =>
    conforms(
      sketch,
      arrangeAnswer(sketch, read(JSON.stringify({ i: 1, n: 1.5, e: "a", t: "00:01", b: false, ...change }))),
    );
  expect(verdict({})).toBe(true);
  for (const change of [
    { i: 1.5 },
    { n: "1" },
    { e: "c" },
    { e: " a" },
    { t: "00:01.5" },
    { t: 61 },
    { t: "1:00:01" },
    { b: 0 },
  ]) {
    expect(verdict(change), JSON.stringify(change)).toBe(false);
  }
});
