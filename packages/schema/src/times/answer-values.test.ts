import { expect, test } from "vitest";
import { replaceValues } from "./answer-values.ts";

test("only the named values change; order, keys and number literals stay", () => {
  const text = '{"2":1.50,"1":{"at":"00:05"},"a/b":["00:01",{"t":7}],"__proto__":"x"}';
  const literals = new Map([
    ["/1/at", '"00:09"'],
    ["/a~1b/1/t", "8"],
  ]);
  expect(replaceValues(text, literals)).toBe('{"2":1.50,"1":{"at":"00:09"},"a/b":["00:01",{"t":8}],"__proto__":"x"}');
  expect(replaceValues(text, new Map())).toBe(text);
});
