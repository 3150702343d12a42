import { expect, test } from "vitest";
import { billedSeconds, roundedSeconds } from "./limits.ts";

test.each([
  [1, 60],
  [59_999, 60],
  [60_499, 60],
  [60_500, 61],
  [90_000, 90],
  [90_499, 90],
  [600_400, 600],
])("%i ms of video cost %i seconds", (durationMs, seconds) => {
  expect(billedSeconds(durationMs, 60)).toBe(seconds);
});

test("600.4 s is a ten-minute video and 600.5 s is not", () => {
  expect([roundedSeconds(600_400), roundedSeconds(600_499), roundedSeconds(600_500)]).toEqual([600, 600, 601]);
});
