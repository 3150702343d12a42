import { expect, test } from "vitest";
import { priceOf } from "./prices.ts";

const tokens = { input: 1_000_000, output: 200_000, thinking: 100_000, cached: 0 };

test.each([
  ["gemini-3.5-flash-lite", "2026-11-24", 0.3 + 0.3 * 2.5],
  ["gemini-3.8-flash", "2026-12-31", 0.75 + 0.3 * 3.75],
  ["gemini-3.8-flash", "2027-01-01", 1.5 + 0.3 * 7.5],
  ["gemini-3.8-flash-001", "2027-01-01", 1.5 + 0.3 * 7.5],
  ["a-model-of-tomorrow", "2027-01-01", 4 + 0.3 * 20],
])("a question to %s on %s costs what Google asks on that day", (model, day, dollars) => {
  expect(priceOf(model, tokens, {}, day)).toBeCloseTo(dollars, 9);
});

test("cached tokens cost less, and prices of the settings replace the table", () => {
  const cached = { ...tokens, cached: 1_000_000 };
  expect(priceOf("gemini-3.5-flash-lite", cached, {}, "2026-11-24")).toBeCloseTo(0.03 + 0.75, 9);
  const own = { mine: { input: 1, output: 2, cached: 0.5 } };
  expect(priceOf("mine", cached, own)).toBeCloseTo(0.5 + 0.6, 9);
});
