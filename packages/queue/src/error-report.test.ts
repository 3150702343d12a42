import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openErrorReport } from "./error-report.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a fault is reported once in ten seconds, another fault at once", () => {
  const reported: string[] = [];
  const report = openErrorReport((error) => void reported.push(error.message));
  report(new Error("away"));
  report(new Error("away"));
  report(new Error("full"));
  vi.advanceTimersByTime(9_999);
  report(new Error("away"));
  expect(reported).toEqual(["away", "full"]);
  vi.advanceTimersByTime(1);
  report(new Error("away"));
  expect(reported).toEqual(["away", "full", "away"]);
});

test("what is thrown without being an error is reported as one", () => {
  const reported: Error[] = [];
  openErrorReport((error) => void reported.push(error))("just text");
  expect(reported).toEqual([new Error("just text")]);
});

test("any number of different faults is reported, none is kept for ever", () => {
  const reported: Error[] = [];
  const report = openErrorReport((error) => void reported.push(error));
  for (let i = 0; i < 1_000; i += 1) report(new Error(`fault ${i}`));
  expect(reported).toHaveLength(1_000);
});
