import { expect, test } from "vitest";
import { refuseWornJob } from "./refuse-worn-job.ts";

test("a job is claimed five times at the most", () => {
  expect(() => refuseWornJob({ fence: 5 })).not.toThrow();
  expect(() => refuseWornJob({ fence: 6 })).toThrow(expect.objectContaining({ code: "internal_error" }));
});
