import { expect, test } from "vitest";
import { childPointer, memberOf, nodeAt, stepsOf } from "./json-node.ts";
import { JsonFault, parseJson } from "./parse-json.ts";
import { printJson } from "./print-json.ts";

test("keys keep their order and numbers their literals", () => {
  const text = '{"10":1.50,"2":-0,"a":{"__proto__":true},"b":[null,"ü\\n"]}';
  expect(printJson(parseJson(text), 0)).toBe(text);
});

test("a value has its place in the text", () => {
  const text = '{ "goals": [ { "at": "00:12" } ] }';
  const node = nodeAt(parseJson(text), "/goals/0/at");
  expect(node && text.slice(node.from, node.to)).toBe('"00:12"');
});

test("printing with an indent gives what JSON.stringify gives", () => {
  const value = { a: [1, { b: "x" }], c: {}, d: [], e: null };
  expect(printJson(parseJson(JSON.stringify(value)), 2)).toBe(JSON.stringify(value, null, 2));
});

test.each([
  ['{"a": }', 6],
  ['{"a": 1,}', 8],
  ["{a: 1}", 1],
  ['{"a": 1} x', 9],
  ['["a" "b"]', 5],
  ['{"a": "x', 6],
  ["", 0],
  ["01", 1],
])("%j is not JSON, and the fault is at %i", (text, at) => {
  const fault = catchFault(text);
  expect(fault).toBeInstanceOf(JsonFault);
  expect((fault as JsonFault).at).toBe(at);
});

test.each(['{"a": 1,}', "[1 , ]"])("of a comma too many in %s, the fault says to remove it", (text) => {
  expect(catchFault(text)).toMatchObject({ message: expect.stringMatching(/^Remove the comma before "[\]}]"\.$/) });
});

test("a text that is nested without end is a fault, not a crash", () => {
  expect(catchFault("[".repeat(100_000))).toBeInstanceOf(JsonFault);
});

test("pointers with escapes find odd keys", () => {
  const pointer = childPointer(childPointer("", "a/b~c"), 0);
  expect(pointer).toBe("/a~1b~0c/0");
  expect(stepsOf(pointer)).toEqual(["a/b~c", "0"]);
  expect(nodeAt(parseJson('{"a/b~c":["x"]}'), pointer)).toMatchObject({ text: "x" });
});

test("of a key that is written twice, the last one counts", () => {
  expect(memberOf(parseJson('{"a":1,"a":2}'), "a")).toMatchObject({ literal: "2" });
});

function catchFault(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    return error;
  }
}
