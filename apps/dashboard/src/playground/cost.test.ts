import { billedSeconds, defaultLimits } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { estimatedSeconds, maxUploadBytes, maxVideoSeconds, refusalOf } from "./cost.ts";

test.each([1, 59.5, 60.4, 60.5, 90, 600.4])("the estimate for %d s is what the service bills", (duration) => {
  expect(estimatedSeconds(duration)).toBe(billedSeconds(duration * 1000, defaultLimits.minimumBilledSeconds));
});

test("the limits are those of the contract", () => {
  expect({ maxUploadBytes, maxVideoSeconds }).toEqual({
    maxUploadBytes: defaultLimits.maxUploadBytes,
    maxVideoSeconds: defaultLimits.maxVideoSeconds,
  });
});

test("a video that is too large or too long is refused before its upload", () => {
  expect(refusalOf({ bytes: 1000, duration: 600.4 })).toBeUndefined();
  expect(refusalOf({ bytes: 1000, duration: undefined })).toBeUndefined();
  expect(refusalOf({ bytes: 1000, duration: 600.5 })).toContain("ten minutes");
  expect(refusalOf({ bytes: maxUploadBytes + 1, duration: 10 })).toContain("512 MiB");
});
