import { expect, test } from "vitest";
import { type Figure, figureTable, isMet } from "./figure.ts";

const speed: Figure = { what: "speed", unit: "MB/s", measured: 79, beside: { what: "bare", measured: 100 } };

test("a goal for a ratio is missed just beyond its limit, and met on it", () => {
  expect(isMet({ ...speed, goal: { of: "ratio", least: 0.8 } })).toBe(false);
  expect(isMet({ ...speed, measured: 80, goal: { of: "ratio", least: 0.8 } })).toBe(true);
  expect(isMet({ ...speed, goal: { of: "measured", most: 78.9 } })).toBe(false);
  expect(isMet(speed)).toBeUndefined();
});

test("a figure that could not be measured misses its goal", () => {
  expect(isMet({ ...speed, measured: Number.NaN, goal: { of: "measured", most: 1 } })).toBe(false);
  expect(isMet({ ...speed, measured: Number.POSITIVE_INFINITY, goal: { of: "measured", most: 1e9 } })).toBe(false);
});

test("a missed goal is written as missed", () => {
  const table = figureTable([{ ...speed, goal: { of: "ratio", least: 0.8 } }, speed]);
  expect(table).toEqual([
    ["", "measured", "beside it", "ratio", "goal", ""],
    ["speed", "79.0 MB/s", "100 MB/s (bare)", "× 0.79", "≥ × 0.80", "MISSED"],
    ["speed", "79.0 MB/s", "100 MB/s (bare)", "× 0.79", "", ""],
  ]);
});
