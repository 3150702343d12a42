import { expect, test } from "vitest";
import { intervalOf, shareOf } from "../score/score.ts";
import { clipModels } from "./erring-model.ts";
import { type firstPasses, measureHarm } from "./measure-harm.ts";

const measure = (first: keyof typeof firstPasses, model: string, videos = 12) =>
  measureHarm({ first, errors: clipModels[model] ?? {}, videos, seed: 31 });

test.each([
  ...["σ 1 s", "bias 2 s", "10 % inventions", "wrong clock", "wide", "30 % missed", "echo"],
  ...["drifting clock", "halved clock"],
])("with clip errors of the kind %s, the second look makes at most one true time of a hundred wrong", async (model) => {
  for (const first of ["exact", "good"] as const) {
    const { before, harmed, price } = await measure(first, model);
    expect(before.of).toBeGreaterThan(100);
    expect(shareOf(harmed), first).toBeLessThanOrEqual(0.01);
    expect(price).toBeLessThanOrEqual(2);
  }
});

test.each([
  ["beginn", "ende"],
  ["开始时间", "结束时间"],
  ["appears", "disappears"],
  ["t1", "t2"],
] as const)(
  "of the times that a schema calls %s and %s, at most one true one of a hundred is made wrong",
  async (start, end) => {
    const asked = { errors: {}, videos: 12, seed: 31, keys: [start, end] } as const;
    const { before, harmed } = await measureHarm({ first: "exact", ...asked });
    expect(before.of).toBeGreaterThan(100);
    expect(shareOf(harmed)).toBeLessThanOrEqual(0.01);
  },
);

test.each(["σ 1 s", "bias 2 s", "10 % inventions", "real"])(
  "of the times of a typical answer that the model %s moves, nine of ten are right then, for 1.5 first passes at most",
  async (model) => {
    const { before, after, harmed, movedRight, price } = await measure("typical", model, 40);
    expect(shareOf(harmed)).toBeLessThanOrEqual(0.01);
    expect(movedRight.all).toBeGreaterThan(10);
    expect(shareOf(movedRight)).toBeGreaterThanOrEqual(0.9);
    expect(after.of).toBeGreaterThan(1.55 * before.of);
    expect(price).toBeLessThanOrEqual(1.5);
  },
);

test("a model that sees everything in whole clips moves nothing", async () => {
  const { before, movedRight } = await measure("typical", "wide", 60);
  expect([before.all > 500, movedRight.all]).toEqual([true, 0]);
});

test("the mode `auto` costs the first pass at most, and brings two thirds of the gain", async () => {
  const gainOf = async (secondLook: "auto" | "times") => {
    const errors = clipModels["10 % inventions"] ?? {};
    const { before, after, price } = await measureHarm({ first: "typical", errors, videos: 40, seed: 31, secondLook });
    return { gain: after.of - before.of, price };
  };
  const [auto, times] = [await gainOf("auto"), await gainOf("times")];
  expect(auto.price).toBeLessThanOrEqual(1);
  expect(times.price).toBeGreaterThan(1.1 * auto.price);
  expect(auto.gain).toBeGreaterThanOrEqual(0.66 * times.gain);
});

test.each(["real", "weak"])(
  "with the model %s, evidence confirms no misread value and denies no true one",
  async (model) => {
    const { wrongConfirmed, trueDenied } = await measure("exact", model);
    expect([wrongConfirmed.all > 10, wrongConfirmed.of]).toEqual([true, 0]);
    expect(shareOf(trueDenied)).toBeLessThanOrEqual(0.05);
  },
);

test("an interval contains the measured share, and more cases make it narrower", () => {
  const [least, most] = intervalOf({ of: 9, all: 10 });
  expect([least, most].map((bound) => Math.round(100 * bound))).toEqual([60, 98]);
  const [more] = intervalOf({ of: 900, all: 1000 });
  expect(more).toBeGreaterThan(0.87);
  expect(intervalOf({ of: 0, all: 0 })).toEqual([0, 1]);
});
