import { repositoryRoot } from "../test-environment.ts";
import { recordCompleteRun } from "./complete-run.ts";
import { audit } from "./dependencies/audit.ts";
import { type CheckResult, reportOf, runCheck, staticChecks } from "./run-check.ts";
import { joined, type Report, runTests, summarize } from "./run-tests.ts";
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
