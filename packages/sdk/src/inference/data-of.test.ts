import { describe, expectTypeOf, test } from "vitest";
import type { SchemaInput } from "../extract/schema-text.ts";
import type { DataOf } from "./data-of.ts";

// `tsc -b` checks the types. At run time the proxy has every member.
const anything: unknown = new Proxy({}, { get: () => anything });
const dataOf = <const S extends SchemaInput>(_schema: S) => anything as DataOf<S>;

describe("the data of a sketch", () => {
  test("has the types of its type words, in any case and with any separator", () => {
    const data = dataOf({
      a: "string",
      b: "Text",
      c: "number — how many",
      d: "INT -- score",
      e: "integer: score",
      f: "float//ratio",
      g: "bool - whether",
      h: "timestamp",
      i: " decimal ",
      j: "when",
      k: "int- score",
    });
    expectTypeOf(data).toEqualTypeOf<{
      a: string;
      b: string;
      c: number;
      d: number;
      e: number;
      f: number;
      g: boolean;
      h: string;
      i: number;
      j: string;
      k: number;
    }>();
  });

  test("is a string where a word only begins like a type word", () => {
    const data = dataOf({ a: "integer count", b: "numbers", c: "time-lapse", d: "boolean-like", e: "int-", f: "" });
    expectTypeOf(data).toEqualTypeOf<{ a: string; b: string; c: string; d: string; e: string; f: string }>();
  });

  test("makes a field optional for a question mark on the key, after the type word or at the end", () => {
    const data = dataOf({
      "a?": "int",
      b: "int?",
      c: "number? — how many",
      d: "who is it?",
      e: "x|y?",
      f: "x|y? -- pick",
      g: "bool ? : sure",
      h: "x|y — which?",
      i: "x?|y",
    });
    expectTypeOf(data).toEqualTypeOf<{
      a?: number;
      b?: number;
      c?: number;
      d?: string;
      e?: "x" | "y";
      f?: "x" | "y";
      g?: boolean;
      h?: "x" | "y";
      i: "x?" | "y";
    }>();
  });

  test("is one of the trimmed options between bars, without the description", () => {
    const data = dataOf({
      a: "red| green |blue",
      b: "16:9|4:3",
      c: "left-wing|right-wing — where // on the field",
      d: "string|a",
      e: "a|b--c",
      f: "who speaks -- host|guest",
      g: "int — a|b",
      h: "a|b // pick -- one",
    });
    expectTypeOf(data).toEqualTypeOf<{
      a: "red" | "green" | "blue";
      b: "16:9" | "4:3";
      c: "left-wing" | "right-wing";
      d: "string" | "a";
      e: "a" | "b--c";
      f: string;
      g: number;
      h: "a" | "b";
    }>();
  });

  test("is any string where types cannot separate the options", () => {
    const data = dataOf({ a: "x|y\t—\tpick" });
    expectTypeOf(data).toEqualTypeOf<{ a?: string }>();
  });

  test("is an array of the first element's type, or of strings for an empty array", () => {
    const data = dataOf({
      goals: [{ at: "timestamp", scorer: "string?", kind: "header|shot" }],
      none: [],
      numbers: ["int?", "string"],
      nested: [["bool"]],
    });
    expectTypeOf(data).toEqualTypeOf<{
      goals: { at: string; scorer?: string; kind: "header" | "shot" }[];
      none: string[];
      numbers: number[];
      nested: boolean[][];
    }>();
  });

  test("has timestamps under timestamp keys that hold a string or a number", () => {
    const data = dataOf({
      at: "int",
      "start?": 0,
      end: "free text",
      time: "bool",
      timestamp: "a|b",
      startsAt: true,
      end_time: [0.5],
      At: 0,
    });
    expectTypeOf(data).toEqualTypeOf<{
      at: string;
      start?: string;
      end: string;
      time: boolean;
      timestamp: "a" | "b";
      startsAt: boolean;
      end_time: number[];
      At: number;
    }>();
  });

  test("nests at any depth; keywords of JSON Schema count only at the root", () => {
    const data = dataOf({ match: { type: "home|away", items: { enum: "string", "id?": 0 } }, 7: "int" });
    expectTypeOf(data).toEqualTypeOf<{
      match: { type: "home" | "away"; items: { enum: string; id?: number } };
      7: number;
    }>();
  });

  test("keeps the certain parts of a sketch without literal types", () => {
    const sketch = { score: "int", list: ["string"], deep: { yes: true } };
    expectTypeOf(dataOf(sketch)).toEqualTypeOf<{ score?: unknown; list: unknown[]; deep: { yes: boolean } }>();
    const fixed = { score: "int", "why?": "text" } as const;
    expectTypeOf(dataOf(fixed)).toEqualTypeOf<{ score: number; why?: string }>();
  });

  test("is a union for a choice between sketches", () => {
    const either = dataOf({ a: Math.random() > 0.5 ? "int" : "bool?", b: Math.random() > 0.5 ? "x|y" : "z|w" });
    expectTypeOf(either).toEqualTypeOf<{ a?: number | boolean; b: "x" | "y" | "z" | "w" }>();
  });

  test("omits what JSON.stringify omits", () => {
    const data = dataOf({ a: undefined, b: "int" });
    expectTypeOf(data).toEqualTypeOf<{ b: number }>();
  });
});

describe("the data of a JSON Schema", () => {
  test("has the types of its properties and its required keys", () => {
    const data = dataOf({
      type: "object",
      properties: {
        title: { type: "string" },
        score: { type: ["integer", "null"] },
        ratio: { type: "number" },
        live: { type: "boolean" },
        tags: { type: "array", items: { type: "string" } },
        any: {},
        note: { type: "string", description: "free" },
      },
      required: ["title", "score", "live", "tags", "elsewhere"],
      additionalProperties: false,
    });
    expectTypeOf(data).toEqualTypeOf<{
      title: string;
      score: number | null;
      live: boolean;
      tags: string[];
      elsewhere: unknown;
      ratio?: number;
      any?: unknown;
      note?: string;
    }>();
  });

  test("is one of the values of enum or const", () => {
    expectTypeOf(dataOf({ enum: ["a", 1, null, true] })).toEqualTypeOf<"a" | 1 | null | true>();
    expectTypeOf(dataOf({ type: "object", properties: { v: { const: 2 } }, required: ["v"] })).toEqualTypeOf<{
      v: 2;
    }>();
  });

  test("follows references to $defs, to definitions and to the root, also recursively", () => {
    const tree = dataOf({
      type: "object",
      properties: { name: { $ref: "#/$defs/name" }, children: { type: "array", items: { $ref: "#" } } },
      required: ["name", "children"],
      $defs: { name: { type: "string" } },
    });
    expectTypeOf(tree.name).toEqualTypeOf<string>();
    expectTypeOf(tree.children[0]?.children[0]?.children[0]?.name).toEqualTypeOf<string | undefined>();
    const old = dataOf({
      $schema: "http://json-schema.org/draft-07/schema#",
      $ref: "#/definitions/a",
      definitions: { a: { type: "integer" } },
    });
    expectTypeOf(old).toEqualTypeOf<number>();
  });

  test("is unknown for references that are broken, circular or outside the document", () => {
    expectTypeOf(dataOf({ $ref: "#/$defs/none", $defs: {} })).toEqualTypeOf<unknown>();
    expectTypeOf(dataOf({ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } })).toEqualTypeOf<unknown>();
    expectTypeOf(dataOf({ $ref: "https://example.com/schema.json" })).toEqualTypeOf<unknown>();
    expectTypeOf(dataOf({ allOf: [{ $id: "x", type: "string", $defs: {} }] })).toEqualTypeOf<unknown>();
    expectTypeOf(dataOf({ type: "array", prefixItems: [{ $ref: "#" }] })).toExtend<unknown[]>();
  });

  test("is a union for anyOf and oneOf, and an intersection for allOf", () => {
    expectTypeOf(dataOf({ anyOf: [{ type: "string" }, { type: "null" }] })).toEqualTypeOf<string | null>();
    expectTypeOf(dataOf({ oneOf: [{ type: "string" }, {}] })).toEqualTypeOf<unknown>();
    const all = dataOf({
      allOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { type: "object", properties: { b: { type: "number" } }, required: ["b"] },
      ],
    });
    expectTypeOf(all.a).toEqualTypeOf<string>();
    expectTypeOf(all.b).toEqualTypeOf<number>();
    const either = dataOf({ type: "object", properties: { a: { type: "string" } }, anyOf: [{ required: ["a"] }] });
    expectTypeOf(either).toEqualTypeOf<{ a?: string }>();
  });

  test("is a record for unnamed keys and a tuple for prefixItems", () => {
    expectTypeOf(dataOf({ type: "object", additionalProperties: { type: "integer" } })).toEqualTypeOf<{
      [key: string]: number;
    }>();
    expectTypeOf(dataOf({ type: "object" })).toEqualTypeOf<{ [key: string]: unknown }>();
    const prefixItems = [{ type: "string" }, { type: "number" }] as const;
    type Open = [string?, number?, ...unknown[]];
    expectTypeOf(dataOf({ type: "array", prefixItems })).toExtend<Open>();
    expectTypeOf<Open>().toExtend<DataOf<{ type: "array"; prefixItems: typeof prefixItems }>>();
    expectTypeOf(dataOf({ type: "array", prefixItems, items: false, minItems: 2 })).toEqualTypeOf<[string, number]>();
    const oneSure = dataOf({ type: "array", prefixItems, items: { type: "null" }, minItems: 1 });
    expectTypeOf([oneSure[0], oneSure[1], oneSure[2]] as const).toEqualTypeOf<
      readonly [string, number | undefined, null | undefined]
    >();
    expectTypeOf(dataOf({ type: "array" })).toEqualTypeOf<unknown[]>();
    const $schema = "http://json-schema.org/draft-07/schema#";
    expectTypeOf(dataOf({ $schema, type: "array", prefixItems })).toEqualTypeOf<unknown[]>();
  });

  test("is unknown without a type, because properties constrain only objects", () => {
    expectTypeOf(dataOf({ properties: { a: { type: "string" } } })).toEqualTypeOf<unknown>();
    expectTypeOf(dataOf({ items: { type: "string" } })).toEqualTypeOf<unknown>();
  });

  test("is unknown for other dialects and for schemas without literal types", () => {
    expectTypeOf(
      dataOf({ $schema: "http://json-schema.org/draft-04/schema#", type: "object", properties: {} }),
    ).toEqualTypeOf<unknown>();
    const loose = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    expectTypeOf(dataOf(loose)).toEqualTypeOf<unknown>();
    const required: string[] = ["a"];
    expectTypeOf(dataOf({ type: "object", properties: { a: { type: "string" } }, required })).toEqualTypeOf<{
      a?: string;
    }>();
  });
});

test("the data of a text, of any object and of any value is unknown", () => {
  expectTypeOf(dataOf('{"a":"int"}')).toEqualTypeOf<unknown>();
  expectTypeOf(dataOf(JSON.parse("{}"))).toEqualTypeOf<unknown>();
  expectTypeOf<DataOf<object>>().toEqualTypeOf<unknown>();
  expectTypeOf<DataOf<Record<string, string>>>().toEqualTypeOf<unknown>();
  expectTypeOf<DataOf<string>>().toEqualTypeOf<unknown>();
});
