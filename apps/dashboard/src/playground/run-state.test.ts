import { expect, test } from "vitest";
import { problemOf } from "../api/request.ts";
import { nextRunState, type RunEvent, type RunState } from "./run-state.ts";

const after = (...events: RunEvent[]) => events.reduce<RunState>(nextRunState, { step: "idle" });
const started: RunEvent = { kind: "started", total: 100 };
const admitted: RunEvent = { kind: "admitted", id: "7f3a" };
const problem = problemOf(400, "", null);

test("a run goes from the upload over its stages to the answer", () => {
  const running = after(started, { kind: "sent", sent: 50, total: 100 }, admitted, {
    kind: "progress",
    stage: "analysing",
    attempt: 2,
  });
  expect(running).toEqual({ step: "running", jobId: "7f3a", stage: "analysing", attempt: 2, cut: false });
  expect(nextRunState(running, { kind: "result", answer: { id: "7f3a", billed_seconds: 60 } })).toEqual({
    step: "succeeded",
    jobId: "7f3a",
    billedSeconds: 60,
  });
});

test("a stream that breaks after the admission leaves the run running", () => {
  expect(after(started, admitted, { kind: "cut" })).toMatchObject({ step: "running", cut: true });
});

test("a request that breaks before the admission has not failed: its job is looked for, and runs if it is found", () => {
  expect(after(started, { kind: "cut" })).toEqual({ step: "searching" });
  expect(after(started, { kind: "cut" }, { kind: "found", id: "7f3a" })).toMatchObject({ step: "running", cut: true });
});

test("the job of a failed run is known if it was admitted", () => {
  expect(after(started, admitted, { kind: "failed", problem })).toMatchObject({ step: "failed", jobId: "7f3a" });
});

test("progress of the upload that comes late changes nothing", () => {
  expect(after(started, admitted, { kind: "sent", sent: 100, total: 100 })).toMatchObject({ step: "running" });
});
