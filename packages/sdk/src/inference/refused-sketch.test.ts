import { describe, expectTypeOf, test } from "vitest";
import type { VideoToJson } from "../client.ts";
import type { SchemaInput } from "../extract/schema-text.ts";
import type { DataOf } from "./data-of.ts";
import type { RefusedSketch } from "./refused-sketch.ts";

// `tsc -b` checks the types. At run time the proxy has every member.
const anything: unknown = new Proxy(() => {}, { get: () => anything, apply: () => anything });
const dataOf = <const S extends SchemaInput>(_schema: S) => anything as DataOf<S>;
const enumNotTypes = "`|` separates the words of an enum, not types";
type Enum = typeof enumNotTypes;
type Brackets = "an array is written in brackets";
type Null = 'null says nothing about the value; write a type word such as "string?"';

describe("a sketch that the service refuses", () => {
  test("has no data, and its type says where the fault is and what to write instead", () => {
    expectTypeOf(dataOf({ product: "string", price: "number|null" })).toEqualTypeOf<
      RefusedSketch<`/price: write "number?"; ${Enum}`>
    >();
    expectTypeOf(dataOf({ goals: [{ scorer: "NULL | String — the name" }] })).toEqualTypeOf<
      RefusedSketch<`/goals/0/scorer: write "string?"; ${Enum}`>
    >();
    expectTypeOf(dataOf({ a: "null|null" })).toEqualTypeOf<RefusedSketch<`/a: write "string?"; ${Enum}`>>();
    expectTypeOf(dataOf({ a: "string|number" })).toEqualTypeOf<
      RefusedSketch<`/a: write "string"; ${Enum}` | `/a: write "number"; ${Enum}`>
    >();
    expectTypeOf(dataOf({ a: "time|null?" })).toEqualTypeOf<RefusedSketch<`/a: write "time?"; ${Enum}`>>();
    expectTypeOf(dataOf({ tags: "string[]", deep: { list: "Int? [ ] — every goal" } })).toEqualTypeOf<
      RefusedSketch<`/tags: write ["string"]; ${Brackets}` | `/deep/list: write ["int"]; ${Brackets}`>
    >();
    expectTypeOf(dataOf({ note: null, list: [null] })).toEqualTypeOf<
      RefusedSketch<`/note: ${Null}` | `/list/0: ${Null}`>
    >();
    expectTypeOf(dataOf({ a: "x||y" })).toEqualTypeOf<
      RefusedSketch<"/a: an option of the enum is empty; write each as text between bars, `a|b|c`">
    >();
    expectTypeOf(dataOf({ a: { player: "string", "player?": "int" } })).toEqualTypeOf<
      RefusedSketch<"/a/player?: the key is there twice, with and without `?`; write it once">
    >();
  });

  test("is a type error where its data is used, also in the result of `extract`", () => {
    const client = anything as VideoToJson;
    const extractPrice = () => client.extract({ videoUrl: "", schema: { price: "number|null" } });
    type Data = Awaited<ReturnType<typeof extractPrice>>["data"];
    expectTypeOf<Data>().toEqualTypeOf<RefusedSketch<`/price: write "number?"; ${Enum}`>>();
    // @ts-expect-error: the type of `data` names the fault.
    expectTypeOf((data: Data) => data.price).toBeFunction();
    // A function that takes any schema still compiles.
    const extractFrom = <const S extends SchemaInput>(schema: S) => client.extract({ videoUrl: "", schema });
    expectTypeOf<Awaited<ReturnType<typeof extractFrom<{ a: "int" }>>>["data"]>().toEqualTypeOf<{ a: number }>();
  });
});

test("a sketch that the service may accept keeps its data", () => {
  expectTypeOf(dataOf({ a: "home|away|null", b: "string — one | two", c: "a|b[]", d: "strings[]" })).toEqualTypeOf<{
    a: "home" | "away" | "null";
    b: string;
    c: "a" | "b[]";
    d: string;
  }>();
  expectTypeOf(dataOf({ a: "array", b: "integer (0-10)", c: "null", d: "time|place" })).toEqualTypeOf<{
    a: string;
    b: string;
    c: string;
    d: "time" | "place";
  }>();
  const either = dataOf({ a: Math.random() > 0.5 ? "int" : "int|null" });
  expectTypeOf(either).toEqualTypeOf<{ a: number | "int" | "null" }>();
  expectTypeOf(dataOf({ a: ["string", "string[]", null] })).toEqualTypeOf<{ a: string[] }>();
  const text: string = "string|null";
  expectTypeOf(dataOf({ a: text, b: "int" })).toEqualTypeOf<{ a?: unknown; b: number }>();
  expectTypeOf(dataOf({ type: "object", properties: { a: { const: null } } })).toEqualTypeOf<{ a?: null }>();
});
