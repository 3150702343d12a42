import { expect, test } from "vitest";
import { clipFault, clipOf, seenSeconds, wholeVideo } from "./look.ts";

test("a clip is sent only if a bound is given", () => {
  expect(clipOf(wholeVideo)).toBeUndefined();
  expect(clipOf({ ...wholeVideo, start: " 01:00" })).toEqual({ start: "01:00" });
  expect(clipOf({ ...wholeVideo, start: "01:00", end: "02:30" })).toEqual({ start: "01:00", end: "02:30" });
});

test("only the seconds of the clip within the video are analysed", () => {
  expect(seenSeconds(wholeVideo, undefined)).toBeUndefined();
  expect(seenSeconds(wholeVideo, 90.4)).toBe(90.4);
  expect(seenSeconds({ ...wholeVideo, start: "01:00", end: "02:30" }, undefined)).toBe(90);
  expect(seenSeconds({ ...wholeVideo, start: "01:00" }, 90.5)).toBe(30.5);
  expect(seenSeconds({ ...wholeVideo, end: "01:31" }, 90.4)).toBe(90.4);
});

test("a clip that the service would refuse has a fault", () => {
  for (const look of [
    { start: "1:00", end: "" },
    { start: "01:00", end: "00:30" },
    { start: "01:31", end: "" },
    { start: "", end: "01:32" },
  ]) {
    expect(clipFault({ ...wholeVideo, ...look }, 90.4)).toBeDefined();
  }
  expect(clipFault({ ...wholeVideo, start: "01:30", end: "01:31" }, 90.4)).toBeUndefined();
});
