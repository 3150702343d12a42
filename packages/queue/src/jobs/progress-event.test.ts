import { randomUUID } from "node:crypto";
import { jobStages } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { parseProgress } from "./ticket.ts";

test("every stage is parsed with its attempt and its job, and other members are dropped", () => {
  const jobId = randomUUID();
  for (const stage of jobStages)
    expect(parseProgress({ stage, jobId, secret: 1 })).toEqual({ jobId, progress: { stage } });
  const progress = { stage: "analysing", attempt: 3 };
  expect(parseProgress({ ...progress, jobId })).toEqual({ jobId, progress });
});

const jobId = randomUUID();

test.each([
  null,
  undefined,
  "probing",
  50,
  [],
  {},
  { stage: "unknown", jobId },
  { stage: "probing" },
  { stage: "probing", jobId: "../.." },
  { stage: "analysing", jobId, attempt: 0 },
  { stage: "analysing", jobId, attempt: 1.5 },
  { stage: "analysing", jobId, attempt: "1" },
])("invalid progress is dropped: %j", (data) => expect(parseProgress(data)).toBeUndefined());
