import { jobStages } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { parseProgress } from "./progress-event.ts";

test("every stage is parsed with its attempt, and other members are dropped", () => {
  for (const stage of jobStages) expect(parseProgress({ stage, secret: 1 })).toEqual({ stage });
  expect(parseProgress({ stage: "analysing", attempt: 3 })).toEqual({ stage: "analysing", attempt: 3 });
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
