import { expect, test } from "vitest";
import { choosePlan } from "./choose-plan.ts";
import { ratesOf } from "./estimate-tokens.ts";

const durationMs = 600_000;
const rates = ratesOf(undefined, durationMs);
/** The tokens that the provider counts for the first pass about ten minutes, at its usual rates. */
const firstPass = 62_700;

const claimsEvery = (stepMs: number) =>
  Array.from({ length: Math.floor(durationMs / stepMs) }, (_, index) => {
    const fromMs = index * stepMs + 3_000;
    return { pointer: `/mentions/${index}/at`, what: "a brand is named", fromMs, toMs: fromMs };
  });

const chosen = (stepMs: number) => {
  const { framesPerSecond, clips } = choosePlan(claimsEvery(stepMs), { rates, maxTokens: 2 * firstPass, durationMs });
  const tokens = clips.reduce((sum, clip) => sum + clip.tokens, 0);
  return { framesPerSecond, tokens, claims: clips.flatMap((clip) => clip.claims).length };
};

test("few times are looked at with the most pictures", () => {
  expect(chosen(120_000)).toMatchObject({ framesPerSecond: 5, claims: 5 });
});

test("times all over the video are all looked at, with fewer pictures, for twice the first pass at most", () => {
  for (const stepMs of [30_000, 15_000, 8_000]) {
    const { tokens, claims } = chosen(stepMs);
    expect(tokens).toBeLessThanOrEqual(2 * firstPass);
    expect(claims).toBe(durationMs / stepMs);
  }
});
