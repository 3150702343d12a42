import { expect, test } from "vitest";
import { absentPointers, schemasAt } from "./absent-pointers.ts";

const optional = { type: "object", properties: { a: {}, "b/c~": {} } };

test.each<[string, unknown, unknown, string[]]>([
  ["a key of an object", optional, { a: 1 }, ["/b~1c~0"]],
  ["a key of each item", { type: "array", items: optional }, [{ "b/c~": 1 }, { a: 1 }], ["/0/a", "/1/b~1c~0"]],
  [
    "a key behind references",
    { $ref: "#/$defs/x", $defs: { x: { properties: { y: { $ref: "#/$defs/z" } } }, z: optional } },
    { y: {} },
    ["/y/a", "/y/b~1c~0"],
  ],
  ["keys of all parts of allOf", { allOf: [optional, { properties: { d: {} } }] }, {}, ["/a", "/b~1c~0", "/d"]],
  [
    "a key of an object that may be null",
    { properties: { o: { anyOf: [{ type: "null" }, optional] } } },
    { o: { a: 1 } },
    ["/o/b~1c~0"],
  ],
  ["no key of one of several choices", { oneOf: [optional, { properties: { d: {} } }] }, {}, []],
  ["a key of additional members", { additionalProperties: optional }, { x: { a: 1 } }, ["/x/b~1c~0"]],
  ["a key of a fixed item", { prefixItems: [{}, optional] }, [1, { a: 1 }], ["/1/b~1c~0"]],
  ["no key of a schema that is not there", { $ref: "#/nowhere" }, {}, []],
  ["no key of a schema elsewhere", { $ref: "https://example.com/x" }, {}, []],
])("%s is absent", (_name, schema, data, absent) => {
  expect(absentPointers(schema, data)).toEqual(absent);
});

const choice = { enum: ["a", "b"] };

test.each<[string, object, string]>([
  ["a key of an item", { items: { properties: { kind: choice } } }, "/1/kind"],
  ["a fixed item", { prefixItems: [{}, choice] }, "/1"],
  ["a fixed item of older drafts", { items: [{}, choice], additionalItems: {} }, "/1"],
  ["an item after the fixed ones", { items: [{}], additionalItems: choice }, "/1"],
  ["an additional member with a slash in its key", { additionalProperties: choice }, "/a~1b"],
  ["a member whose key is a number", { properties: { 1: choice }, items: {} }, "/1"],
  [
    "a key behind a reference and allOf",
    { properties: { o: { $ref: "#/$defs/o" } }, $defs: { o: { allOf: [{}, { properties: { kind: choice } }] } } },
    "/o/kind",
  ],
])("the schema of %s is found", (_name, schema, pointer) => {
  expect(schemasAt(schema, pointer)).toContainEqual(choice);
});

test("a schema that refers to itself endlessly is handled at once", () => {
  const schema = { $ref: "#", allOf: [{ $ref: "#" }, { $ref: "#/allOf/0" }], properties: { a: {} } };
  expect(absentPointers(schema, {})).toEqual(["/a"]);
  const wide = {
    allOf: Array.from({ length: 5_000 }, () => ({ $ref: "#/$defs/x" })),
    $defs: { x: { allOf: Array.from({ length: 5_000 }, () => ({})) } },
  };
  const before = process.cpuUsage();
  absentPointers(wide, Object.fromEntries(Array.from({ length: 5_000 }, (_, key) => [key, {}])));
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(2_000);
});
