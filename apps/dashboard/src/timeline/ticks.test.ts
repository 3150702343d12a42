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
  [60, [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55], 4],
])("a timeline of %d s has times at %j (zoom: %s)", (duration, ticks, zoom = 1) => {
  expect(ticksOf(duration, zoom)).toEqual(ticks);
});
