import { runsAllTests } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { shareOf } from "../score/score.ts";
import { openDrawnScreen } from "./drawn-screen.ts";
import { clipModels } from "./erring-model.ts";
import { type Harm, measureHarm } from "./measure-harm.ts";
import { type Recogniser, recognisers } from "./recogniser.ts";

const measure = (
  first: "planted" | "exact" | "typical",
  recogniser: Recogniser | undefined,
  videos: number,
  secondLook: "auto" | "times" = "times",
) =>
  measureHarm({
    first,
    errors: clipModels.real ?? {},
    videos,
    seed: 31,
    secondLook,
    ...(recogniser && { recogniser }),
  });

async function expectMostSetRight(recogniser: Recogniser | undefined, least: number): Promise<void> {
  const [without, with_] = [await measure("planted", undefined, 12), await measure("planted", recogniser, 12)];
  expect(with_.corrected.all).toBeGreaterThan(50);
  expect(shareOf(with_.corrected)).toBeGreaterThanOrEqual(least);
  expect(shareOf(with_.corrected)).toBeGreaterThan(Number(shareOf(without.corrected)));
  expect(with_.price).toBeLessThan(without.price);
  expect(with_.harmed.of).toBe(0);
}

test.each(["speech", "screen"])("a witness of %s sets most planted wrong times right for less money", (name) =>
  expectMostSetRight(recognisers[name], 0.92),
);

test.runIf(runsAllTests)("a witness of texts that are hard to read sets most planted wrong times right", async () => {
  await using drawn = await openDrawnScreen();
  await expectMostSetRight({ of: "screen", drawn }, 0.9);
});

test.each(["speech, 2 s late", "screen, 2 s late"])(
  "a recogniser that errs by two seconds (%s) moves no true time",
  async (name) => {
    expect((await measure("exact", recognisers[name], 12)).harmed.of).toBe(0);
  },
);

test.each(["speech", "screen"])(
  "with a witness of %s, `auto` has three quarters of the gain of `times`",
  async (name) => {
    const [times, auto] = [
      await measure("typical", recognisers[name], 12),
      await measure("typical", recognisers[name], 12, "auto"),
    ];
    const gain = ({ before, after }: Harm) => Number(shareOf(after)) - Number(shareOf(before));
    expect(gain(auto)).toBeGreaterThan(0.75 * gain(times));
    expect(auto.price).toBeLessThan(1);
  },
);
