import { expect, test } from "vitest";
import { containsQuote } from "./match-quote.ts";

test.each<[string, string, boolean | undefined]>([
  ["OPENING\nNIGHT", "Opening night!", true],
  ["Café Zürich", "cafe zurich", true],
  ["0pening niqht at ten", "Opening night", true],
  ["Second act", "Opening night", false],
  ["3-1", "3-2", false],
  ["cat", "car", false],
  ["", "Opening night", false],
  ["anything", "!?", undefined],
  ["字幕です", "字幕", true],
])("in %j, the quote %j is found: %s", (text, quote, isFound) => {
  expect(containsQuote(text, quote)).toBe(isFound);
});

test("a long quote in a long text is searched quickly", () => {
  const started = performance.now();
  expect(containsQuote("x".repeat(200_000), "y".repeat(300))).toBe(false);
  expect(performance.now() - started).toBeLessThan(2_000);
});
