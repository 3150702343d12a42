import { expect, test } from "vitest";
import { summary } from "./test-summary.ts";

const green = { success: true, numPassedTests: 3, numFailedTests: 0, testResults: [] };

test("a green run is told by its number of tests", () => {
  expect(summary(green)).toEqual({ line: "3 passed, 0 failed", good: true });
});

test("a file that fails before its first test is a failure", () => {
  const testResults = [
    { status: "failed", assertionResults: [] },
    { status: "passed", assertionResults: [{}] },
  ];
  expect(summary({ ...green, success: false, testResults })).toEqual({ line: "3 passed, 1 failed", good: false });
});

test("a run that fails without a failed test is a failure", () => {
  expect(summary({ ...green, success: false }).line).toBe("3 passed, 1 failed");
});

test("no report at all is a failure", () => {
  expect(summary(undefined)).toEqual({ line: "0 passed, 1 failed", good: false });
});
