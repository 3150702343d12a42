import { expect, test } from "vitest";
import { openBudget } from "./budget.ts";
import { choosePlan, type PlannedClaim, planWindows } from "./plan-clips.ts";

const durationMs = 600_000;
const budget = openBudget(undefined, durationMs);

const claimsEvery = (stepMs: number) =>
  Array.from({ length: Math.floor(durationMs / stepMs) }, (_, index) => {
    const fromMs = index * stepMs + 3_000;
    return { pointer: `/mentions/${index}/at`, what: "a brand is named", fromMs, toMs: fromMs };
  });

const chosen = (stepMs: number) => {
  const { framesPerSecond, clips } = choosePlan(claimsEvery(stepMs), {
    budget,
    maxDollars: budget.maxDollars,
    durationMs,
  });
  const dollars = clips.reduce((sum, clip) => sum + clip.dollars, 0);
  return { framesPerSecond, dollars, claims: clips.flatMap((clip) => clip.claims).length };
};

test("times near each other share a clip, in whatever order the answer names them", () => {
  const [first, second, far] = [0, 1, 40].map((nth) => claimsEvery(8_000)[nth]) as [
    PlannedClaim,
    PlannedClaim,
    PlannedClaim,
  ];
  const { clips } = choosePlan([first, far, second], { budget, maxDollars: budget.maxDollars, durationMs });
  expect(clips.map(({ claims }) => claims)).toEqual([[first, second], [far]]);
});

test("few times are looked at with the most pictures", () => {
  expect(chosen(120_000)).toMatchObject({ framesPerSecond: 5, claims: 5 });
});

test("times all over the video are all looked at, with fewer pictures, for twice the first pass at most", () => {
  for (const stepMs of [30_000, 15_000, 8_000]) {
    const { dollars, claims } = chosen(stepMs);
    expect(dollars).toBeLessThanOrEqual(budget.maxDollars);
    expect(claims).toBe(durationMs / stepMs);
  }
});

test("windows cover a part of a video to its end, and each repeats 20 seconds of the previous one", () => {
  for (const durationMs of [120_001, 220_000, 220_001, 333_333, 600_000]) {
    const windows = planWindows({ fromMs: 30_000, toMs: 30_000 + durationMs });
    expect(windows[0]?.fromMs).toBe(30_000);
    expect(windows.at(-1)?.toMs).toBe(30_000 + durationMs);
    for (const [index, { fromMs }] of windows.slice(1).entries()) {
      expect((windows[index]?.toMs ?? 0) - fromMs).toBe(20_000);
    }
  }
});

test("a part that fits in one window has none", () => {
  expect(planWindows({ fromMs: 30_000, toMs: 150_000 })).toEqual([]);
});
