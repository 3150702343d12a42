import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createErrorReport } from "./redis-connection.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the same error is reported once in ten seconds, another error at once", () => {
  const reported: string[] = [];
  const report = createErrorReport((error) => void reported.push(error.message));
  report(new Error("down"));
  report(new Error("down"));
  report(new Error("full"));
  vi.advanceTimersByTime(9_999);
  report(new Error("down"));
  expect(reported).toEqual(["down", "full"]);
  vi.advanceTimersByTime(1);
  report(new Error("down"));
  expect(reported).toEqual(["down", "full", "down"]);
});

test("a process clock that is set back silences no error", () => {
  const reported: string[] = [];
  const report = createErrorReport((error) => void reported.push(error.message));
  report(new Error("down"));
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(10_000);
  report(new Error("down"));
  expect(reported).toEqual(["down", "down"]);
});

test("a thrown value that is not an error is reported as an error", () => {
  const reported: Error[] = [];
  createErrorReport((error) => void reported.push(error))("just text");
  expect(reported).toEqual([new Error("just text")]);
});

test("every different error is reported, however many there are", () => {
  const reported: Error[] = [];
  const report = createErrorReport((error) => void reported.push(error));
  for (let i = 0; i < 1_000; i += 1) report(new Error(`error ${i}`));
  expect(reported).toHaveLength(1_000);
});
