import { expect, test } from "vitest";
import { numberOption } from "./run-command.ts";

test.each([
  ["1", 1],
  ["50", 50],
])("%s is accepted", (text, number) => {
  expect(numberOption("--n", text, { min: 1, max: 50 })).toBe(number);
});

test("a fraction is accepted where the option allows it", () => {
  expect(numberOption("--minutes", "0.5", { min: 0.1, max: 60, fractions: true })).toBe(0.5);
});

test.each(["", " ", "0", "51", "1.5", "one", "Infinity", "NaN"])('"%s" is refused with the bounds', (text) => {
  expect(() => numberOption("--n", text, { min: 1, max: 50 })).toThrow(/--n takes a whole number from 1 to 50/);
});
