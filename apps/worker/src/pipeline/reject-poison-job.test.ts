import { expect, test } from "vitest";
import { rejectPoisonJob } from "./reject-poison-job.ts";

test("a job is claimed five times at the most", () => {
  expect(() => rejectPoisonJob({ fence: 5 })).not.toThrow();
  expect(() => rejectPoisonJob({ fence: 6 })).toThrow(expect.objectContaining({ code: "internal_error" }));
});
