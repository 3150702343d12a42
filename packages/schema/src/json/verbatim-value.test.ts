import * as fc from "fast-check";
import { expect, test } from "vitest";
import { verbatimValue } from "./verbatim-value.ts";

test.each([
  '{"b":1,"10":2,"2":3,"a":{"1":{},"0":[]}}',
  '{"__proto__":1,"constructor":{"__proto__":{"7":1,"a":2,"3":4}}}',
  "[1.0,0,-0,1e3,1E+3,0.10,123456789012345678901234567890,1e400]",
  '"\\ud800"',
  "null",
  '{"":{"":[true,false,null,"a\\"b"]}}',
])("%s is written as it was read", (text) => {
  expect(JSON.stringify(verbatimValue(text))).toBe(text);
  expect(JSON.stringify({ inside: [verbatimValue(text)] })).toBe(`{"inside":[${text}]}`);
});

test("any JSON is written as it was read", () => {
  void fc.assert(
    fc.property(fc.json(), (text) => {
      const compact = JSON.stringify(JSON.parse(text));
      expect(JSON.stringify(verbatimValue(compact))).toBe(compact);
    }),
  );
});

test("the last of repeated keys wins, as in JSON.parse", () => {
  expect(JSON.stringify(verbatimValue('{"10":1,"2":2,"10":3}'))).toBe('{"10":3,"2":2}');
});
