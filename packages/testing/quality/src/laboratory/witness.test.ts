import { runsAllTests } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { shareOf } from "../score/score.ts";
import { clipModels } from "./erring-model.ts";
import { measureHarm } from "./measure-harm.ts";
import { recognisers } from "./recogniser.ts";

const measure = (first: "planted" | "exact", name: string, videos: number) => {
  const recogniser = recognisers[name];
  return measureHarm({ first, errors: clipModels.real ?? {}, videos, seed: 31, ...(recogniser && { recogniser }) });
};

test.each<[string, number]>([
  ["speech", 0.92],
  ["screen", 0.92],
  ...(runsAllTests ? [["screen, hard to read", 0.9] satisfies [string, number]] : []),
])("a witness of %s sets most planted wrong times right for less money", async (name, least) => {
  const [without, with_] = [await measure("planted", "none", 12), await measure("planted", name, 12)];
  expect(with_.corrected.all).toBeGreaterThan(50);
  expect(shareOf(with_.corrected)).toBeGreaterThanOrEqual(least);
  expect(shareOf(with_.corrected)).toBeGreaterThan(Number(shareOf(without.corrected)));
  expect(with_.price).toBeLessThan(without.price);
  expect(with_.harmed.of).toBe(0);
});

test.each(["speech, 2 s late", "screen, 2 s late"])(
  "a recogniser that errs by two seconds (%s) moves no true time",
  async (name) => {
    expect((await measure("exact", name, 12)).harmed.of).toBe(0);
  },
);
