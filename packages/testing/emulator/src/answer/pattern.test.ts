import { expect, test } from "vitest";
import { matchesPattern, sampleOf } from "./pattern.ts";

test.each([
  "^\\d{2}:\\d{2}$",
  "^[A-Z]{2,4}-[0-9]+$",
  "^(yes|no)$",
  "^v\\d+\\.\\d+(-rc\\d)?$",
  "^[^a]b?$",
  "^(?:[01]\\d|2[0-3]):[0-5]\\d$",
  "^#[0-9a-f]{6}$",
  "^\\p{Lu}x$",
  "(a)\\1",
  "^\\u0041$",
])("a sample of %s matches it", (pattern) => {
  expect(matchesPattern(pattern, sampleOf(pattern) ?? "none")).toBe(true);
});

test("a pattern with endless backtracking is stopped and matches nothing", () => {
  expect(matchesPattern("^(a|a)*$", `${"a".repeat(40)}!`)).toBe(false);
});

test("an invalid pattern matches nothing and has no sample", () => {
  expect([matchesPattern("(", "("), sampleOf("("), sampleOf("[")]).toEqual([false, undefined, undefined]);
});
