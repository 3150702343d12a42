import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../test-environment.ts";
import type { CheckResult } from "./run-gate.ts";

/** Runs vitest to its end, with its output on ours. Returns its report, or undefined if it wrote none. */
export async function runTests(args: readonly string[]): Promise<Report | undefined> {
  const directory = mkdtempSync(join(tmpdir(), "video-to-json-report-"));
  const file = join(directory, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const vitest = spawn("vitest", ["run", ...reporters, ...args], {
    cwd: repositoryRoot,
    stdio: "inherit",
    // The tests start hundreds of processes. Without a cache, each would compile its code again.
    env: { ...process.env, NODE_COMPILE_CACHE: join(repositoryRoot, ".local", "compile-cache") },
  });
  // A terminal sends Ctrl-C to vitest too. We end after it has stopped its servers.
  const ignore = () => {};
  const forward = () => vitest.kill("SIGTERM");
  process.on("SIGINT", ignore).on("SIGTERM", forward);
  const [code] = (await once(vitest, "exit")) as [number | null];
  process.off("SIGINT", ignore).off("SIGTERM", forward);
  const report = readReport(file);
  rmSync(directory, { recursive: true, force: true });
  return report && { ...report, success: report.success && code === 0 };
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Report;
  } catch {
    return undefined;
  }
}

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
