import { expect, test } from "vitest";
import { failedFor } from "./failed-file.ts";

test.each([
  [null, "unknown"],
  [{ code: null, message: "" }, "unknown"],
  [{ code: 3, message: "The file could not be used." }, "media"],
  [{ code: 13, message: "Unsupported codec." }, "media"],
  [{ code: 13, message: "An internal error has occurred." }, "service"],
  [{ code: 14, message: "" }, "service"],
  [{ code: null, message: "The video is corrupt." }, "media"],
] as const)("a copy that turned FAILED with %j did so for the %s", (error, blame) => {
  expect(failedFor(error)).toBe(blame);
});
