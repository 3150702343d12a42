import { expect, test } from "vitest";
import { numberOption } from "./number-option.ts";

test.each([
  ["1", 1],
  ["50", 50],
])("%s is taken", (text, number) => {
  expect(numberOption("--n", text, { least: 1, most: 50 })).toBe(number);
});

test("fractions are taken where they make sense", () => {
  expect(numberOption("--minutes", "0.5", { least: 0.1, most: 60, fractions: true })).toBe(0.5);
});

test.each(["", " ", "0", "51", "1.5", "one", "Infinity", "NaN"])('"%s" is refused with what is taken', (text) => {
  expect(() => numberOption("--n", text, { least: 1, most: 50 })).toThrow(/--n takes a whole number from 1 to 50/);
});
