import { billedSeconds } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { estimatedSeconds, refusalOf } from "./cost.ts";

const limits = {
  max_video_seconds: 900,
  max_upload_bytes: 2 ** 30,
  minimum_billed_seconds: 30,
  more_minutes: "Ask.",
};

test.each([1, 29.5, 30.4, 30.5, 90, 900.4])("the estimate for %d s is what the service bills", (duration) => {
  expect(estimatedSeconds(duration, limits)).toBe(billedSeconds(duration * 1000, limits.minimum_billed_seconds));
});

test("a video over the limits of the service is refused before its upload, with their figures", () => {
  expect(refusalOf({ bytes: 1000, duration: 900.4 }, limits)).toBeUndefined();
  expect(refusalOf({ bytes: 1000, duration: undefined }, limits)).toBeUndefined();
  expect(refusalOf({ bytes: 1000, duration: 900.5 }, limits)).toContain("15 minutes");
  expect(refusalOf({ bytes: 2 ** 30 + 1, duration: 10 }, limits)).toContain("1 GiB");
});
