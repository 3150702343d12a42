/** What is read of vitest's JSON report. */
export type Report = {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: unknown[] }[];
};

/**
 * One line for a person and for machines, "N passed, N failed", and whether all is well. A file that failed before its
 * first test counts as one failure, and so does a run that failed without saying where.
 */
export function summary(report: Report | undefined): { line: string; good: boolean } {
  if (!report) return { line: "0 passed, 1 failed", good: false };
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  const counted = report.numFailedTests + brokenFiles.length;
  const failed = counted === 0 && !report.success ? 1 : counted;
  return { line: `${report.numPassedTests} passed, ${failed} failed`, good: failed === 0 };
}
