import { randomUUID } from "node:crypto";
import { jobStages } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { parseProgress } from "./progress-event.ts";

test("every stage is parsed with its attempt and its job, and other members are dropped", () => {
  for (const stage of jobStages) expect(parseProgress({ stage, secret: 1 })).toEqual({ progress: { stage } });
  const jobId = randomUUID();
  const progress = { stage: "analysing", attempt: 3 };
  expect(parseProgress({ ...progress, jobId })).toEqual({ jobId, progress });
  expect(parseProgress({ ...progress, jobId: "../.." })).toEqual({ progress });
});

test.each([
  null,
  undefined,
  "probing",
  50,
  [],
  {},
  { stage: "unknown" },
  { stage: "analysing", attempt: 0 },
  { stage: "analysing", attempt: 1.5 },
  { stage: "analysing", attempt: "1" },
])("invalid progress is dropped: %j", (data) => expect(parseProgress(data)).toBeUndefined());
