import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { recordEffort } from "./record-effort.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

test("a run's effort has its attempts and the total time of each stage", () => {
  const effort = recordEffort();
  expect(effort.soFar()).toEqual({ attempts: 0, tokens: 0, dollars: 0, processorMs: 0, stages: {} });
  const visits = [
    { stage: "probing", ms: 30 },
    { stage: "analysing", attempt: 1, ms: 200 },
    { stage: "analysing", attempt: 2, ms: 400 },
    { stage: "probing", ms: 5 },
  ] as const;
  for (const { ms, ...progress } of visits) {
    effort.progress(progress);
    vi.advanceTimersByTime(ms);
  }
  const passed = { attempts: 2, tokens: 0, dollars: 0, processorMs: 0, stages: { probing: 35, analysing: 600 } };
  expect(effort.soFar()).toEqual(passed);
  expect(effort.soFar()).toEqual(passed);
});
