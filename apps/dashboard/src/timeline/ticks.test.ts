import { expect, test } from "vitest";
import { ticksOf } from "./ticks.ts";

test.each([
  [0.4, [0]],
  [5, [0, 1, 2, 3, 4]],
  [12.48, [0, 5, 10]],
  [60, [0, 15, 30, 45]],
  [600, [0, 120, 240, 360, 480]],
  // A clip may be of a longer video.
  [5400, [0, 1800, 3600]],
  [35_999, [0, 7200, 14_400, 21_600, 28_800]],
])("a timeline of %d s has times at %j", (duration, ticks) => {
  expect(ticksOf(duration)).toEqual(ticks);
});
