import type { CheckResult } from "./run-check.ts";

/** The parts of vitest's JSON report that the gate reads. */
export type Report = {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  testResults: { name: string; status: string; assertionResults: { status: string }[] }[];
};

/** Returns the reports of several runs as one, or undefined if a run wrote none. */
export function joined(reports: readonly (Report | undefined)[]): Report | undefined {
  return reports.reduce(
    (sum, report) =>
      sum &&
      report && {
        success: sum.success && report.success,
        numPassedTests: sum.numPassedTests + report.numPassedTests,
        numFailedTests: sum.numFailedTests + report.numFailedTests,
        testResults: [...sum.testResults, ...report.testResults],
      },
  );
}

/** The result of a run: its last printed line, the names of failures, and the exit code. */
export type Summary = { line: string; failed: string[]; exitCode: 0 | 1 };

/**
 * Adds up a run. Each test counts as one, and so does each check. A test file that failed before its first test counts as
 * one failure, and so does a run that failed without naming a test, or without a report.
 */
export function summarize(report: Report | undefined, checks: readonly CheckResult[]): Summary {
  const failedChecks = checks.filter(({ passed }) => !passed).map(({ name }) => name);
  const failedFiles = report?.testResults.filter(({ status }) => status === "failed") ?? [];
  const brokenFiles = failedFiles.filter(({ assertionResults }) =>
    assertionResults.every(({ status }) => status !== "failed"),
  );
  const counted = (report?.numFailedTests ?? 0) + brokenFiles.length;
  const failedTests = counted === 0 && !report?.success ? 1 : counted;
  const passed = (report?.numPassedTests ?? 0) + checks.length - failedChecks.length;
  const failed = failedTests + failedChecks.length;
  return {
    line: `${passed} passed, ${failed} failed`,
    failed: [...failedChecks, ...(failedTests > 0 ? [testsFailed(failedTests, failedFiles)] : [])],
    exitCode: failed === 0 ? 0 : 1,
  };
}

function testsFailed(count: number, files: readonly { name: string }[]): string {
  return [`tests (${count})`, ...files.map(({ name }) => `  ${name}`)].join("\n");
}
