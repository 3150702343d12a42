import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalNumber, compareDecimals, isMultiple, plainNumber, readDecimal } from "./decimal.ts";

const multiple = (value: string, step: string) => isMultiple(readDecimal(value), readDecimal(step));
const compare = (a: string, b: string) => Math.sign(compareDecimals(readDecimal(a), readDecimal(b)));

test("multiples are exact where doubles are not", () => {
  expect(multiple("19.99", "0.01")).toBe(true);
  expect(multiple("0.0075", "0.0001")).toBe(true);
  expect(multiple("0.00751", "0.0001")).toBe(false);
  expect(multiple("9007199254740993", "2")).toBe(false);
  expect(multiple("1e308", "0.123456789")).toBe(false);
  expect(multiple("12391239123", "1e-8")).toBe(true);
});

test("a huge exponent takes no extra time", () => {
  expect(multiple("1e999999999", "7")).toBe(false);
  expect(multiple("7e999999999", "7")).toBe(true);
  expect(compare("1e999999999", "1e999999998")).toBe(1);
  expect(compare("-1e99999999999999999999", "5")).toBe(-1);
});

test("integers that a double cannot hold stay distinct", () => {
  expect(compare("9007199254740993", "9007199254740992")).toBe(1);
  expect(compare("12345678901234567890", "12345678901234567891")).toBe(-1);
});

test("equal values have the same canonical text", () => {
  for (const same of [
    ["1", "1.0", "10e-1", "0.1E+1"],
    ["0", "-0", "0.000", "0e5"],
    ["-1200", "-1.2e3"],
  ]) {
    expect(new Set(same.map(canonicalNumber)).size, same.join(" ")).toBe(1);
  }
});

test("a number is written exactly, without many zeros", () => {
  const told = (literal: string) => plainNumber(canonicalNumber(literal));
  for (const literal of ["0", "7", "-1200", "12345678901234567890", "0.1000000000000000055511151231257827", "-2.05"]) {
    expect(told(literal)).toBe(literal);
  }
  expect(told("1.50")).toBe("1.5");
  expect(told("1e400")).toBe("1e400");
  expect(told("-1e-400")).toBe("-1e-400");
  expect(plainNumber('"1e5"')).toBeUndefined();
});

test("doubles compare as JavaScript compares them", () => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(finite, finite, (a, b) => {
      expect(compare(String(a), String(b)) + 0).toBe(Math.sign(a < b ? -1 : a > b ? 1 : 0));
    }),
  );
});
