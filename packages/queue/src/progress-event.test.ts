import { jobStages } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { parseProgress } from "./progress-event.ts";

test("every stage is read, with its attempt if it has one, and nothing besides", () => {
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
])("what is no progress is dropped: %j", (data) => expect(parseProgress(data)).toBeUndefined());
