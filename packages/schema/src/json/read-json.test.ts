import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "./read-json.ts";
import { JsonError } from "./texts.ts";
import { writeJson } from "./write-json.ts";

const bounds = { maxDepth: 64, maxValues: 10_000 };

test("a value is written as it was read: literals, order and repeated keys", () => {
  const text =
    '{"10":1.0,"2":12345678901234567890,"__proto__":{"a":1e400},"a":-0,"a":"\\u00e9\\n","é":[true,null,0.10]}';
  expect(writeJson(readJson(text, bounds))).toBe(text);
});

test("only white space between tokens is lost", () => {
  expect(writeJson(readJson(' { "a" : [ 1 , "x y" ] , "b" : { } , "c":[ ]\n} \t', bounds))).toBe(
    '{"a":[1,"x y"],"b":{},"c":[]}',
  );
});

test("any JSON has the same value as with JSON.parse, with any indentation", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 3), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const written = writeJson(readJson(text, { maxDepth: 1000, maxValues: 100_000 }));
      expect(JSON.parse(written)).toEqual(JSON.parse(text));
      expect(written).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test("a string may end in escaped quotes and backslashes", () => {
  const text = JSON.stringify({ 'a\\"': '\\\\"', b: "\\" });
  expect(writeJson(readJson(text, bounds))).toBe(text);
});

test("text that is not JSON is a syntax error", () => {
  for (const text of ["", "nope", "{'a':1}", "[1,]", '{"a":1}x', "01", "// c\n1", "\u00a01"]) {
    expect(() => readJson(text, bounds), text).toThrow(JsonError);
  }
});

test("depth is bounded without recursion, to the level", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  expect(() => readJson(nested(64), bounds)).not.toThrow();
  expect(() => readJson(nested(65), bounds)).toThrow(/64 levels/);
  expect(() => readJson(nested(500_000), bounds)).toThrow(/64 levels/);
});

test("values are counted, containers included", () => {
  expect(() => readJson("[1,2,3]", { maxDepth: 9, maxValues: 4 })).not.toThrow();
  expect(() => readJson("[1,2,3]", { maxDepth: 9, maxValues: 3 })).toThrow(/more than 3 values/);
});

test("a lone surrogate is written as an escape, because UTF-8 cannot encode it", () => {
  expect(writeJson(readJson('"\ud800"', bounds))).toBe('"\\ud800"');
});
