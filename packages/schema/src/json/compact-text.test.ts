import fc from "fast-check";
import { expect, test } from "vitest";
import { compactText } from "./texts.ts";

test("only white space between tokens is removed", () => {
  const text = ' {\r\n\t"b c" : [ 0.0 , 0,1e400 ,"\\" : \\\\" , " " ] ,"a": { } , "\\u0020":null }\n';
  expect(compactText(text)).toBe('{"b c":[0.0,0,1e400,"\\" : \\\\"," "],"a":{},"\\u0020":null}');
});

test("texts that differ in white space only become the same text", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const indent of [0, 2, "\t"])
        expect(compactText(JSON.stringify(value, null, indent))).toBe(JSON.stringify(value));
    }),
  );
});

test("a long text is compacted fast", () => {
  const text = `[${'"a" , '.repeat(50_000)}0]`;
  expect(compactText(text)).toHaveLength(200_003);
});
