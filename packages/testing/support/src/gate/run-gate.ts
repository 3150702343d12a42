import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../test-environment.ts";
import { recordCompleteRun } from "./history.ts";
import { audit } from "./shipped-packages.ts";

type Options = {
  /** The arguments of each run of vitest. The runs follow one another. */
  vitest: readonly (readonly string[])[];
  /** Whether types, lint and dead code are checked, and the packages that ship for known vulnerabilities. */
  checks: boolean;
  /** Whether it is the complete run before a release, which docs/reliability.md records. */
  release: boolean;
};

/** Runs tests and checks at the same time. Prints as the last line "N passed, N failed". Returns the exit code. */
export async function runGate({ vitest, checks, release }: Options): Promise<number> {
  const print = (text: string) => process.stdout.write(`\n${text}\n`);
  const [checking, auditing] = checks ? [runChecks(print), audit(repositoryRoot)] : [[]];
  const reports: (Report | undefined)[] = [];
  // A run that was interrupted has no report.
  for (const args of vitest) if (reports.every((report) => report)) reports.push(await runTests(args));
  const results = [...(await checking)];
  const audited = await auditing;
  if (audited) {
    print(audited.output);
    if (!audited.passed) results.push(audited);
  }
  const lines = results.map(({ name, passed }) => `${name}: ${passed ? "passed" : "FAILED"}`);
  if (checks) print([sizeLine(sizeOf(repositoryRoot)), ...lines].join("\n"));
  const { line, failed, exitCode } = summarize(joined(reports), results);
  if (release && exitCode === 0) recordCompleteRun(repositoryRoot, line);
  if (failed.length > 0) print(`Failed:\n${failed.join("\n")}`);
  print(line);
  return exitCode;
}

// One after the other, because the tests use the other cores.
async function runChecks(print: (text: string) => void): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of staticChecks) {
    const result = await runCheck(check, repositoryRoot);
    print(reportOf(result));
    results.push(result);
  }
  return results;
}

/** One program that checks the whole tree. */
export type Check = { name: string; command: string; args: readonly string[] };

/** The result of a check, and its output. */
export type CheckResult = { name: string; passed: boolean; seconds: number; output: string };

const staticChecks: readonly Check[] = [
  // More threads for one project would check its imports again: that takes a quarter more CPU time, which the tests
  // need.
  { name: "types", command: "tsc", args: ["-b", "--checkers", "1"] },
  { name: "lint", command: "biome", args: ["check", "--error-on-warnings"] },
  { name: "dead code", command: "knip", args: [] },
];

/** Runs a check in `directory` to its end. A program that cannot be started fails its check. */
export function runCheck({ name, command, args }: Check, directory: string): Promise<CheckResult> {
  const began = performance.now();
  return new Promise((resolve) => {
    execFile(command, [...args], { cwd: directory, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const seconds = (performance.now() - began) / 1000;
      const output = [stdout, stderr, error && !stdout && !stderr ? error.message : ""].join("").trim();
      resolve({ name, passed: error === null, seconds, output });
    });
  });
}

/** Returns the lines that report a check: its output if it failed, and its result. */
export function reportOf({ name, passed, seconds, output }: CheckResult): string {
  const result = `${name}: ${passed ? "passed" : "FAILED"} in ${seconds.toFixed(1)} s`;
  return passed ? result : `${output}\n${result}`;
}

async function runTests(args: readonly string[]): Promise<Report | undefined> {
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

function joined(reports: readonly (Report | undefined)[]): Report | undefined {
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

/** A test file that failed before its first test counts as one failure, and so does a run without a report. */
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

/**
 * The most lines that the tree may have: the product without its tests, and the apparatus (everything that does not ship)
 * with its tests. These are the figures of the day; the goals are 48,000 and 30,000. A commit that makes the tree smaller
 * lowers its figure. A commit that needs more raises it by itself and says why.
 */
export const budget = { product: 66_340, apparatus: 37_155 };

/** Lines of TypeScript, CSS and Python, by what they belong to. */
type Size = { product: number; productTests: number; apparatus: number };

/** Counts the lines of the tracked files. */
export function sizeOf(root: string): Size {
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  const size = { product: 0, productTests: 0, apparatus: 0 };
  for (const path of files.split("\0").filter((path) => /\.(?:ts|tsx|css|py)$/.test(path))) {
    size[partOf(path)] += linesOf(join(root, path));
  }
  return size;
}

/** Returns the line that the gate prints. */
function sizeLine({ product, productTests, apparatus }: Size): string {
  const of = (lines: number, most: number) => `${lines} of ${most} lines`;
  return `size: product ${of(product, budget.product)}, its tests ${productTests}, apparatus ${of(apparatus, budget.apparatus)}`;
}

/** Returns what a file belongs to. */
export function partOf(path: string): keyof Size {
  if (path.startsWith("packages/testing/") || /\.(?:harness|fixture)\.|\/testing\//.test(path)) return "apparatus";
  return /\.test\.tsx?$|(?:^|\/)test_|\/tests\//.test(path) ? "productTests" : "product";
}

// A file may be deleted and not committed yet.
function linesOf(path: string): number {
  try {
    return readFileSync(path, "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
}
