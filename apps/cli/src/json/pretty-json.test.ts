import { expect, test } from "vitest";
import { oneLine, prettyJson } from "./pretty-json.ts";

test("number literals, key order, repeated keys and escapes stay unchanged", () => {
  const text = '{"10":1.50,"2":-0.0,"__proto__":1e400,"2":"a\\"},[{\\\\","e":[],"o":{},"n":[[1],{"a":null}]}';
  expect(prettyJson(text)).toBe(`{
  "10": 1.50,
  "2": -0.0,
  "__proto__": 1e400,
  "2": "a\\"},[{\\\\",
  "e": [],
  "o": {},
  "n": [
    [
      1
    ],
    {
      "a": null
    }
  ]
}`);
});

test("white space between literals is replaced, and white space in strings is kept", () => {
  expect(prettyJson(' [ 1 ,\r\n\t{ } , "a  b" ] ')).toBe('[\n  1,\n  {},\n  "a  b"\n]');
  expect(prettyJson(' "x" ')).toBe('"x"');
});

test("the format is that of JSON.stringify with an indent of two", () => {
  const value = { a: [{ b: [true, null, "é\n\u2028"] }, []], c: {}, d: [[], [[]]], e: "{" };
  expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
});

test("a long and deep text does not overflow the stack", () => {
  const depth = 1000;
  const deep = `${"[".repeat(depth)}"${"\\\\x".repeat(500_000)}"${"]".repeat(depth)}`;
  expect(prettyJson(deep).replace(/\s/g, "") === deep).toBe(true);
});

test("oneLine returns one line of the same JSON", () => {
  expect(oneLine('{\n "a": 0.0,\r\n "b": "x\\ny"\n}\n')).toBe('{  "a": 0.0,  "b": "x\\ny" }');
});
