import { expect, test } from "vitest";
import { toExactValue } from "../json/json-value.ts";
import { readJson } from "../json/read-json.ts";
import { createSchemaReader } from "../json-schema/schema-reader.ts";
import { compileValidator } from "../json-schema/validator.ts";
import type { Sketch } from "../sketch/sketch.ts";
import { jsonSchemaToLean } from "./json-schema-to-lean.ts";
import { fullDialect, type LeanKeyword, withinLeanBounds } from "./schema-dialect.ts";
import { sketchToLean } from "./sketch-to-lean.ts";

const reader = createSchemaReader();
const read = (value: unknown) => readJson(JSON.stringify(value), { maxDepth: 100, maxValues: 100_000 });

function lean(schema: object, dialect = fullDialect): Record<string, unknown> | null {
  const reading = reader.read(read(schema));
  if ("errors" in reading) throw new Error(reading.errors.join("\n"));
  return jsonSchemaToLean(reading.linked, dialect);
}

function conforms(schema: object, answer: unknown): boolean {
  const reading = reader.read(read(schema));
  if ("errors" in reading) throw new Error(reading.errors.join("\n"));
  return compileValidator(reading.linked)(toExactValue(read(answer))).length === 0;
}

function without(missing: LeanKeyword) {
  return { ...fullDialect, keywords: fullDialect.keywords.filter((keyword) => keyword !== missing) };
}

const node = {
  type: "object",
  properties: { v: { type: "string" }, next: { $ref: "#/$defs/node" } },
  required: ["v", "next"],
};

test("bounds, patterns and formats become descriptions and are not enforced", () => {
  const properties = {
    a: { type: "integer", minimum: 1, maximum: 5, description: "How many" },
    b: { type: "string", pattern: "^x", maxLength: 3 },
    c: { type: "array", items: { type: "string", format: "date" }, minItems: 1, uniqueItems: true },
  };
  expect(lean({ type: "object", properties, required: ["a"], additionalProperties: false })).toEqual({
    type: "object",
    properties: {
      a: { type: "integer", description: "How many. 1 or more. 5 or less." },
      b: { type: "string", description: "Must match the pattern ^x. At most 3 characters." },
      c: {
        type: "array",
        items: { type: "string", description: "Format: date." },
        description: "At least 1 items. No item twice.",
      },
    },
    required: ["a"],
    additionalProperties: false,
    propertyOrdering: ["a", "b", "c"],
  });
});

test("enums and constants keep strings and numbers, and null as a branch", () => {
  expect(lean({ enum: ["a", "b"] })).toEqual({ type: "string", enum: ["a", "b"] });
  expect(
    lean({
      type: "object",
      properties: { k: { const: 7 }, n: { enum: ["x", null] }, z: { enum: ["", "y"] }, m: { enum: [true, "t"] } },
    }),
  ).toMatchObject({
    properties: {
      k: { type: "integer", enum: [7] },
      n: { anyOf: [{ type: "string", enum: ["x"] }, { type: "null" }] },
      z: {},
      m: {},
    },
  });
});

test("a number that a double cannot hold is described and never listed as another number", () => {
  const propertiesOf = (values: string) => {
    const node = readJson(`{"type":"object","properties":{"n":${values}}}`, { maxDepth: 9, maxValues: 99 });
    const reading = reader.read(node);
    return "errors" in reading ? reading.errors : jsonSchemaToLean(reading.linked, fullDialect)?.properties;
  };
  expect(propertiesOf('{"const":12345678901234567890}')).toEqual({
    n: { description: "Must be 12345678901234567890." },
  });
  expect(propertiesOf('{"type":"integer","enum":[9007199254740993,5],"description":"An id"}')).toEqual({
    n: { type: "integer", description: "An id. Must be one of 9007199254740993, 5." },
  });
  expect(propertiesOf('{"type":"number","const":0.1000000000000000055511151231257827}')).toMatchObject({
    n: { type: "number", description: "Must be 0.1000000000000000055511151231257827." },
  });
  expect(propertiesOf('{"type":"integer","enum":[1e400,5]}')).toMatchObject({ n: { type: "integer" } });
  expect(propertiesOf('{"anyOf":[{"const":9007199254740993},{"const":1}]}')).not.toHaveProperty("n.enum");
  expect(propertiesOf('{"enum":[0.1,1e3,-0]}')).toEqual({ n: { type: "number", enum: [0.1, 1000, 0] } });
});

test("a long description is cut between two characters", () => {
  const copy = lean({ type: "object", description: `${"x".repeat(998)}😀😀`, title: "\ud800" });
  expect(copy).toMatchObject({ description: `${"x".repeat(998)}…`, title: "\\ud800" });
});

test("branches that only list values become one enum, whatever their number", () => {
  const oneOf = Array.from({ length: 60 }, (_, index) => ({ const: `c${index}`, title: `Country ${index}` }));
  expect(lean({ type: "string", oneOf })).toEqual({ type: "string", enum: oneOf.map((branch) => branch.const) });
});

test("a reference stays a reference, and older drafts are rewritten", () => {
  const person = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const copy = lean({
    $schema: "http://json-schema.org/draft-07/schema#",
    $ref: "#/definitions/all",
    definitions: {
      person,
      all: {
        type: "object",
        properties: {
          people: { type: "array", items: { $ref: "#/definitions/person" } },
          pair: { type: "array", items: [{ type: "string" }, { type: "number" }] },
        },
      },
    },
  });
  expect(copy).toMatchObject({
    type: "object",
    properties: {
      people: { items: { $ref: "#/$defs/u2" } },
      pair: { prefixItems: [{ type: "string" }, { type: "number" }] },
    },
    $defs: { u2: person },
  });
});

test("keys that only required or propertyNames names are written with the schema of additional keys", () => {
  const integer = { type: "integer" };
  const names = { type: "string", enum: ["x", "y"] };
  expect(lean({ type: "object", properties: { a: integer }, required: ["b", "a"] })).toMatchObject({
    properties: { a: integer, b: {} },
    required: ["a", "b"],
  });
  const record = { type: "object", propertyNames: names, additionalProperties: integer };
  expect(lean({ ...record, required: ["x", "y"] })).toMatchObject({
    properties: { x: integer, y: integer },
    required: ["x", "y"],
  });
  expect(lean(record)).toMatchObject({ properties: { x: integer, y: integer } });
  expect(lean(record)).not.toHaveProperty("required");
  const patterned = { ...record, patternProperties: { "^x": { type: "string" } } };
  expect(lean(patterned)).toMatchObject({ properties: { x: {}, y: {} } });
  expect(lean({ type: "object", required: ["a"], additionalProperties: false })).not.toHaveProperty("required");
});

test("a cycle leads only through optional keys", () => {
  expect(lean({ $ref: "#/$defs/node", $defs: { node } })).toMatchObject({
    required: ["v", "next"],
    $defs: { u1: { required: ["v"] } },
  });
  expect(lean({ ...node, properties: { v: { type: "string" }, next: { $ref: "#" } } })).toMatchObject({
    required: ["v"],
  });
  expect(lean({ type: "array", items: { $ref: "#" } })).toEqual({ type: "array", items: {} });
});

test("oneOf becomes anyOf, and each branch repeats the constraints beside it", () => {
  expect(
    lean({
      type: "object",
      properties: { base: { type: "string" } },
      required: ["base"],
      oneOf: [{ properties: { x: { type: "number" } }, required: ["x"] }, { properties: { y: { type: "boolean" } } }],
    }),
  ).toEqual({
    anyOf: [
      {
        type: "object",
        properties: { base: { type: "string" }, x: { type: "number" } },
        required: ["base", "x"],
        propertyOrdering: ["base", "x"],
      },
      {
        type: "object",
        properties: { base: { type: "string" }, y: { type: "boolean" } },
        required: ["base"],
        propertyOrdering: ["base", "y"],
      },
    ],
  });
});

test("the parts of an allOf are merged, and none forbids the keys of another", () => {
  const copy = lean({
    allOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { properties: { b: { type: "integer" } }, required: ["b"] },
    ],
  });
  expect(copy).toEqual({
    type: "object",
    properties: { a: { type: "string" }, b: { type: "integer" } },
    required: ["a", "b"],
    propertyOrdering: ["a", "b"],
  });
  expect(
    lean({ type: "object", patternProperties: { "^x": { type: "string" } }, additionalProperties: false }),
  ).toEqual({ type: "object" });
});

test("additional keys are forbidden only when a single part describes the object", () => {
  const closed = { properties: { a: { type: "string" } }, additionalProperties: false };
  expect(lean({ type: "object", ...closed })).toHaveProperty("additionalProperties", false);
  expect(lean({ type: "object", allOf: [closed, { properties: { b: true } }] })).not.toHaveProperty(
    "additionalProperties",
  );
});

test("a schema without a root type, or beyond the bounds, has no lean schema", () => {
  expect(lean({ $schema: "https://json-schema.org/draft/2020-12/schema", not: { type: "string" } })).toBeNull();
  let deep: object = { type: "string" };
  for (let level = 0; level < 20; level++) deep = { type: "object", properties: { a: deep } };
  expect(withinLeanBounds(lean(deep), fullDialect)).toBeNull();
});

test("properties or items without a type make an object or an array of the root only, and are described elsewhere", () => {
  expect(lean({ properties: { a: { type: "string" } } })).toEqual({
    type: "object",
    properties: { a: { type: "string" } },
  });
  expect(lean({ anyOf: [{ properties: { a: true } }, { items: { type: "string" } }] })).toEqual({
    anyOf: [
      { type: "object", properties: { a: {} } },
      { type: "array", items: { type: "string" } },
    ],
  });
  const team = { properties: { name: { type: "string" } }, description: "Who scored" };
  expect(lean({ type: "object", properties: { team } })).toMatchObject({
    properties: { team: { description: "Who scored. Usually an object." } },
  });
});

test("the lean schema holds only keywords of the dialect", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: "string", minLength: 1, default: "x", examples: ["y"], not: { const: "z" } },
      b: { $ref: "#/$defs/n" },
      d: { type: "array", prefixItems: [{ type: "string", title: "D" }], items: { enum: ["x", null] } },
      c: { type: "object", propertyNames: { pattern: "^a" }, minProperties: 1 },
    },
    if: { required: ["a"] },
    dependentRequired: { a: ["b"] },
    unevaluatedProperties: false,
    $comment: "x",
    $defs: { n: { type: "number", multipleOf: 0.5, exclusiveMinimum: 0, deprecated: true } },
  };
  const sketch: Sketch = {
    kind: "object",
    fields: [
      { name: "a", optional: true, place: { kind: "enum", options: ["x", "y"], description: "A letter" } },
      { name: "b", optional: false, place: { kind: "array", items: { kind: "timestamp" } } },
    ],
  };
  const base = ["type", "properties", "required", "items"];
  for (const keywords of [
    fullDialect.keywords,
    ...fullDialect.keywords.map((keyword) => without(keyword).keywords),
    [],
  ]) {
    const dialect = { ...fullDialect, keywords };
    const allowed = new Set<string>([...base, ...keywords, ...(keywords.includes("$ref") ? ["$defs"] : [])]);
    const visit = (part: Record<string, unknown>): void => {
      for (const [keyword, value] of Object.entries(part)) {
        expect(allowed, JSON.stringify(keywords)).toContain(keyword);
        const inner = keyword === "properties" || keyword === "$defs" ? Object.values(value as object) : [value].flat();
        for (const subschema of inner) if (typeof subschema === "object" && subschema !== null) visit(subschema);
      }
    };
    visit(lean(schema, dialect) ?? {});
    visit(sketchToLean(sketch, dialect));
  }
});

test("every answer that conforms to a schema conforms to its lean schema", () => {
  const cases: [object, unknown[]][] = [
    [
      { type: "object", properties: { a: { type: ["string", "null"] } }, additionalProperties: { type: "integer" } },
      [{ a: null, b: 1 }, {}, { a: "x" }],
    ],
    [
      {
        type: "object",
        allOf: [{ properties: { a: { type: "number" } } }, { properties: { a: { type: "integer" }, b: true } }],
        anyOf: [{ required: ["a"] }, { required: ["b"] }],
      },
      [{ a: 1 }, { b: [] }, { a: 2, b: "x", c: 3 }],
    ],
    [{ type: "array", prefixItems: [{ const: "h" }], items: { type: "integer" } }, [["h"], ["h", 1, 2], []]],
    [
      {
        $ref: "#/$defs/t",
        $defs: { t: { type: "object", properties: { kids: { type: "array", items: { $ref: "#/$defs/t" } } } } },
      },
      [{ kids: [{ kids: [] }, {}] }],
    ],
    [
      {
        type: "object",
        oneOf: [
          { properties: { k: { const: "a" } }, required: ["k"], additionalProperties: false },
          { properties: { k: { const: "b" }, n: { type: "number" } }, required: ["k", "n"] },
        ],
      },
      [{ k: "a" }, { k: "b", n: 1.5, more: true }],
    ],
    [{ type: "number", enum: [1, 2.5, "x"] }, [1, 2.5]],
    [
      {
        type: "object",
        properties: {
          team: { properties: { name: { type: "string" } }, required: ["name"] },
          list: { items: { type: "integer" } },
          either: { anyOf: [{ properties: { n: { type: "integer" } } }, { items: { type: "string" } }] },
        },
        additionalProperties: { properties: { more: { type: "boolean" } } },
      },
      [
        { team: { name: "x" }, list: [1], either: { n: 1 }, other: { more: true } },
        { team: "Rovers", list: "none", either: 7, other: null },
        { either: ["a"] },
      ],
    ],
  ];
  const dialects = [fullDialect, ...fullDialect.keywords.map(without), { ...fullDialect, keywords: [] }];
  for (const dialect of dialects) {
    for (const [schema, answers] of cases) {
      const copy = lean(schema, dialect);
      for (const answer of answers) {
        expect(conforms(schema, answer), JSON.stringify([schema, answer])).toBe(true);
        expect(conforms(copy ?? {}, answer), JSON.stringify([copy, answer])).toBe(true);
      }
    }
  }
});
