import { expect, test } from "vitest";
import { readJson } from "../json/read-json.ts";
import { findImpossible } from "./find-impossible.ts";
import { createSchemaReader } from "./schema-reader.ts";

const reader = createSchemaReader();

/** Takes a schema, or its text. */
function impossible(schema: unknown): string | null {
  const text = typeof schema === "string" ? schema : JSON.stringify(schema);
  const node = readJson(text, { maxDepth: 100, maxValues: 100_000 });
  const reading = reader.read(node as Parameters<typeof reader.read>[0]);
  if ("errors" in reading) throw new Error(reading.errors.join());
  return findImpossible(reading.linked);
}

const key = (schema: unknown) => ({ properties: { k: schema }, required: ["k"], type: "object" });
const deep = { $ref: "#/$defs/node", $defs: { node: key({ $ref: "#/$defs/node" }) } };

test.each<[string, unknown, string]>([
  ["a required key that may have no value", key(false), "/k"],
  [
    "a required key that may not exist",
    { type: "object", required: ["k"], properties: { a: {} }, additionalProperties: false },
    "/k",
  ],
  [
    "a key that one part requires and another forbids",
    { type: "object", allOf: [{ required: ["k"] }, { additionalProperties: false }] },
    "/k",
  ],
  ["a minimum above the maximum", key({ type: "number", minimum: 5, maximum: 1 }), "/k"],
  ["an exclusive minimum at the maximum", key({ type: "integer", exclusiveMinimum: 5, maximum: 5 }), "/k"],
  ["bounds in two parts", key({ type: "integer", allOf: [{ minimum: 1e300 }, { maximum: 9 }] }), "/k"],
  [
    "bounds that only the digits tell apart",
    '{"type":"number","minimum":1.00000000000000000002,"maximum":1.00000000000000000001}',
    "",
  ],
  ["an enum without values", key({ enum: [] }), "/k"],
  ["an enum without a value of the type", key({ type: "string", enum: [1, null] }), "/k"],
  ["two constants", key({ allOf: [{ const: 1 }, { const: 2 }] }), "/k"],
  ["a constant out of bounds", key({ const: 3, minimum: 4 }), "/k"],
  ["a text too long for its limit", key({ const: "long", maxLength: 3 }), "/k"],
  ["types that exclude each other", key({ allOf: [{ type: "string" }, { type: "number" }] }), "/k"],
  ["a text with crossed lengths", key({ type: "string", minLength: 9, maxLength: 3 }), "/k"],
  ["a list with crossed lengths", key({ type: "array", minItems: 9, maxItems: 3 }), "/k"],
  ["an item that may have no value", key({ type: "array", minItems: 1, items: false }), "/k/0"],
  ["a place of a tuple that may have no value", { type: "array", prefixItems: [{}, { enum: [] }], minItems: 2 }, "/1"],
  ["an item that must be there and cannot", key({ type: "array", contains: false }), "/k"],
  ["crossed numbers of keys", key({ type: "object", minProperties: 3, maxProperties: 1 }), "/k"],
  ["more required keys than allowed ones", { type: "object", required: ["a", "b"], maxProperties: 1 }, ""],
  ["no allowed name for a required key", { type: "object", required: ["a"], propertyNames: false }, "/a"],
  [
    "alternatives of which none is possible",
    key({ anyOf: [{ type: "object", required: ["z"], properties: { z: false } }, false] }),
    "/k/z",
  ],
  [
    "two types of which none is possible",
    key({ type: ["number", "string"], minimum: 3, maximum: 2, minLength: 2, maxLength: 1 }),
    "/k",
  ],
  ["not anything", key({ not: {} }), "/k"],
  ["an object that requires itself without end", deep, "/k/k"],
  [
    "a bound of an old draft",
    {
      $schema: "http://json-schema.org/draft-04/schema#",
      type: "number",
      minimum: 1,
      maximum: 1,
      exclusiveMinimum: true,
    },
    "",
  ],
])("%s is impossible, and the place is named", (_name, schema, pointer) => {
  expect(impossible(schema)).toMatch(new RegExp(`^${pointer}: `));
});

test.each<[string, unknown]>([
  ["crossed bounds of numbers, where texts are allowed too", key({ minimum: 5, maximum: 1 })],
  ["a key that may be left out", { type: "object", properties: { k: false } }],
  ["a list that may be empty", key({ type: "array", items: false })],
  [
    "an object that may end",
    { type: "object", required: ["next"], properties: { next: { anyOf: [{ $ref: "#" }, { type: "null" }] } } },
  ],
  [
    "a key that a pattern allows",
    { type: "object", required: ["k"], patternProperties: { "^k$": {} }, additionalProperties: false },
  ],
  ["one of two alternatives", key({ oneOf: [false, { type: "string" }] })],
  ["equal bounds", key({ type: "integer", minimum: 3, maximum: 3 })],
  ["an enum with one value of the type", key({ type: ["string", "null"], enum: [1, null] })],
  ["a number of which the enum has another spelling", '{"allOf":[{"enum":[1.0]},{"enum":[1]}]}'],
  [
    "a schema beside a reference of an old draft",
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      $ref: "#/definitions/a",
      definitions: { a: { type: "string" } },
      enum: [1],
    },
  ],
  ["an unused definition", { type: "string", $defs: { a: false } }],
])("%s is possible", (_name, schema) => {
  expect(impossible(schema)).toBeNull();
});

test("a hostile schema is searched within bounded time, and counts as possible", () => {
  const bomb = Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [
      `n${n}`,
      { anyOf: [key({ $ref: `#/$defs/n${(n + 1) % 20}` }), key({ $ref: `#/$defs/n${(n + 2) % 20}` })] },
    ]),
  );
  // Other tests slow the clock, not the processor time of this thread.
  const started = process.threadCpuUsage();
  expect(impossible({ $ref: "#/$defs/n0", $defs: bomb })).toBeNull();
  const names = Array.from({ length: 5_000 }, (_, n) => `key${n}`);
  expect(
    impossible({ type: "object", required: names, properties: Object.fromEntries(names.map((name) => [name, {}])) }),
  ).toBeNull();
  const { user, system } = process.threadCpuUsage(started);
  expect((user + system) / 1000).toBeLessThan(2_000);
});
