import { execFile } from "node:child_process";
import { repositoryRoot } from "../test-environment.ts";
import { recordCompleteRun } from "./complete-run.ts";
import { joined, type Report, runTests, summarize } from "./run-tests.ts";
import { audit } from "./shipped-packages.ts";
import { sizeLine, sizeOf } from "./size.ts";

type Options = {
  /** The arguments of each run of vitest. The runs follow one another. */
  vitest: readonly (readonly string[])[];
  /** Whether types, lint and dead code are checked, and the packages that ship for known vulnerabilities. */
  checks: boolean;
  /** Whether it is the complete run before a release, which docs/reliability.md records. */
  release: boolean;
};

/**
 * Runs the tests and, at the same time, the checks. Prints each result, the names of failures, and as the last line "N
 * passed, N failed". Returns the exit code.
 */
export async function runGate({ vitest, checks, release }: Options): Promise<number> {
  const print = (text: string) => process.stdout.write(`\n${text}\n`);
  const checking = checks ? runChecks(print) : [];
  const auditing = checks ? audit(repositoryRoot) : undefined;
  const reports: (Report | undefined)[] = [];
  for (const args of vitest) reports.push(await runTests(args));
  const results = [...(await checking)];
  const audited = await auditing;
  if (audited) {
    print(audited.output);
    if (!audited.passed) results.push(audited);
  }
  if (checks) print(sizeLine(sizeOf(repositoryRoot)));
  if (checks) print(results.map(({ name, passed }) => `${name}: ${passed ? "passed" : "FAILED"}`).join("\n"));
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

/** The checks that run no code of ours. */
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
