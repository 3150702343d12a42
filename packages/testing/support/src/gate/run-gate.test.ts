import { expect, test } from "vitest";
import { reportOf, runCheck, summarize } from "./run-gate.ts";

const sh = (script: string) => ({ name: "lint", command: "sh", args: ["-c", script] });

test("a check passes when its program exits with 0", async () => {
  const result = await runCheck(sh("echo fine"), "/");
  expect(result).toMatchObject({ name: "lint", passed: true });
  expect(reportOf(result)).toMatch(/^lint: passed in \d+\.\d s$/);
});

test("a check that fails reports all that its program printed", async () => {
  const result = await runCheck(sh("echo a.ts: unused; echo warning >&2; exit 1"), "/");
  expect(result.passed).toBe(false);
  expect(reportOf(result)).toMatch(/^a\.ts: unused\nwarning\nlint: FAILED in \d+\.\d s$/);
});

test("a program that cannot be started fails its check", async () => {
  const result = await runCheck({ name: "lint", command: "no-such-program", args: [] }, "/");
  expect(result).toMatchObject({ passed: false, output: expect.stringContaining("ENOENT") });
});

const green = { success: true, numPassedTests: 3, numFailedTests: 0, testResults: [] };
const types = { name: "types", passed: true, seconds: 1, output: "" };
const lint = { name: "lint", passed: false, seconds: 1, output: "a.ts: unused" };

test("a green run counts its tests and its checks", () => {
  expect(summarize(green, [types])).toEqual({ line: "4 passed, 0 failed", failed: [], exitCode: 0 });
});

test("a check that fails is counted and named, and the run fails", () => {
  expect(summarize(green, [types, lint])).toEqual({ line: "4 passed, 1 failed", failed: ["lint"], exitCode: 1 });
});

test("a test that fails is counted, and its file is named", () => {
  const testResults = [{ name: "/a.test.ts", status: "failed", assertionResults: [{ status: "failed" }] }];
  const summary = summarize({ ...green, success: false, numFailedTests: 1, testResults }, []);
  expect(summary).toEqual({ line: "3 passed, 1 failed", failed: ["tests (1)\n  /a.test.ts"], exitCode: 1 });
});

test("a file that fails before or after its tests is a failure", () => {
  const testResults = [
    { name: "/a.test.ts", status: "failed", assertionResults: [] },
    { name: "/b.test.ts", status: "failed", assertionResults: [{ status: "skipped" }, { status: "passed" }] },
    { name: "/c.test.ts", status: "passed", assertionResults: [{ status: "passed" }] },
  ];
  expect(summarize({ ...green, success: false, testResults }, []).line).toBe("3 passed, 2 failed");
});

test("a run that fails without a failed test is a failure", () => {
  expect(summarize({ ...green, success: false }, []).line).toBe("3 passed, 1 failed");
});

test("a run without a report is a failure", () => {
  expect(summarize(undefined, [])).toEqual({ line: "0 passed, 1 failed", failed: ["tests (1)"], exitCode: 1 });
});
