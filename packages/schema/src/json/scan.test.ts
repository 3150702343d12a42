import fc from "fast-check";
import { expect, test } from "vitest";
import { hasMoreValuesThan } from "./scan.ts";

function countOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + countOf(inner), 1);
}

test("the number of values does not depend on the content of strings or the indentation", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const values = countOf(JSON.parse(text));
      expect([hasMoreValuesThan(text, values - 1), hasMoreValuesThan(text, values)]).toEqual([true, false]);
    }),
  );
});

test("a text that is not JSON is counted to its end", () => {
  for (const text of ['"', '"\\', '"\\"', "[", "[   ", '{"a', "]]]", ""])
    expect(hasMoreValuesThan(text, 2)).toBe(false);
  expect(hasMoreValuesThan("[".repeat(100), 2)).toBe(true);
});
