import { expect, test } from "vitest";
import { shareOf } from "../score/score.ts";
import { eyes, measureEvidence } from "./measure-evidence.ts";

test.each(["real", "weak"])(
  "of visible values that are wrong, the model %s confirms at most one of a hundred, and it denies nearly no true one",
  async (model) => {
    const { wrongConfirmed, trueConfirmed, trueDenied } = await measureEvidence({
      errors: eyes[model] ?? {},
      videos: 6,
      seed: 31,
    });
    expect(wrongConfirmed.all).toBeGreaterThan(40);
    expect(wrongConfirmed.of).toBeLessThanOrEqual(model === "real" ? 0 : 1);
    expect(trueDenied.of).toBeLessThanOrEqual(model === "real" ? 0 : 2);
    expect(shareOf(trueConfirmed)).toBeGreaterThan(0.4);
  },
);

test.each(["always yes", "always no", "first option", "last option", "echo of the question"])(
  "a model that answers without looking (%s) confirms and denies no visible value",
  async (model) => {
    const { wrongConfirmed, wrongDenied, trueConfirmed, trueDenied } = await measureEvidence({
      errors: eyes[model] ?? {},
      videos: 3,
      seed: 31,
    });
    expect([wrongConfirmed, wrongDenied, trueConfirmed, trueDenied].map(({ of }) => of)).toEqual([0, 0, 0, 0]);
  },
);

test("evidence of three minutes and 40 leaves, half of them visible, costs at most 1.5 times the first pass", async () => {
  const { price, trueConfirmed } = await measureEvidence({ errors: {}, videos: 3, seed: 31 });
  expect(price).toBeLessThanOrEqual(1.5);
  expect(shareOf(trueConfirmed)).toBeGreaterThan(0.6);
});

test("of the values that were checked, the least certain tenth holds four fifths of the wrong ones", async () => {
  const { leastCertain } = await measureEvidence({ errors: eyes.real ?? {}, videos: 20, seed: 31, wrongShare: 0.06 });
  expect(leastCertain.all).toBeGreaterThan(20);
  expect(shareOf(leastCertain)).toBeGreaterThan(0.8);
});
