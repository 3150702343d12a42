import { expect, test } from "vitest";
import { compareRuns } from "./compare.ts";

const run = { waits: [0, 2, 4], totals: [10, 12, 20], wholeSeconds: 30 };

test("a run agrees with itself, and a simulation that waits half as long is 50 % off", () => {
  expect(compareRuns(run, run).every(({ difference }) => difference === 0)).toBe(true);
  const [wait] = compareRuns(run, { ...run, waits: [0, 1, 2] });
  expect(wait).toEqual({ what: "mean wait for a place", measured: 2, simulated: 1, difference: -0.5 });
});

test("a run without jobs agrees with none", () => {
  const none = { waits: [], totals: [], wholeSeconds: 1 };
  for (const { difference } of compareRuns(run, none).slice(0, 5)) expect(Math.abs(difference) <= 0.15).toBe(false);
});
