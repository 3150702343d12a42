import { expect, test } from "vitest";
import { rejectPoisonJob } from "./reject-poison-job.ts";

test("a job runs five times at most, then it fails", () => {
  expect(() => rejectPoisonJob({ fence: 5 })).not.toThrow();
  expect(() => rejectPoisonJob({ fence: 6 })).toThrow(expect.objectContaining({ code: "internal_error" }));
});
