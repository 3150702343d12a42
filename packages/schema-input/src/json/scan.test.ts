import fc from "fast-check";
import { expect, test } from "vitest";
import { hasMoreValuesThan } from "./scan.ts";

function countOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + countOf(inner), 1);
}

test("values are counted as they are, whatever stands in the texts and however it is indented", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const values = countOf(JSON.parse(text));
      expect([hasMoreValuesThan(text, values - 1), hasMoreValuesThan(text, values)]).toEqual([true, false]);
    }),
  );
});

test("what is no JSON is counted to its end and no further", () => {
  for (const text of ['"', '"\\', '"\\"', "[", "[   ", '{"a', "]]]", ""])
    expect(hasMoreValuesThan(text, 2)).toBe(false);
  expect(hasMoreValuesThan("[".repeat(100), 2)).toBe(true);
});
