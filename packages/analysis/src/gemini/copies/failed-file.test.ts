import { expect, test } from "vitest";
import { causeOfFailure } from "./failed-file.ts";

test.each([
  [null, "unknown"],
  [{ code: null, message: "" }, "unknown"],
  [{ code: 3, message: "The file could not be used." }, "media"],
  [{ code: 13, message: "Unsupported codec." }, "media"],
  [{ code: 13, message: "An internal error has occurred." }, "provider"],
  [{ code: 14, message: "" }, "provider"],
  [{ code: null, message: "The video is corrupt." }, "media"],
] as const)("the cause of a copy that FAILED with %j: %s", (error, cause) => {
  expect(causeOfFailure(error)).toBe(cause);
});
