import { repositoryRoot } from "../repository-root.ts";
import { audit } from "./dependencies/audit.ts";
import { type CheckResult, reportOf, runCheck, staticChecks } from "./run-check.ts";
import { runTests } from "./run-tests.ts";
import { summarize } from "./summary.ts";

type Options = {
  /** Arguments for vitest. */
  vitest: readonly string[];
  /** Whether types, lint and dead code are checked too. */
  checks: boolean;
  /** Whether to check the packages that ship for known vulnerabilities. */
  audit: boolean;
};

/**
 * Runs the tests and, at the same time, the checks. Prints each result, the names of failures, and as the last line "N
 * passed, N failed". Returns the exit code.
 */
export async function runGate({ vitest, checks, audit: audits }: Options): Promise<number> {
  const print = (text: string) => process.stdout.write(`\n${text}\n`);
  const checking = checks ? runChecks(print) : [];
  const auditing = audits ? audit(repositoryRoot) : undefined;
  const report = await runTests(vitest);
  const results = [...(await checking)];
  const audited = await auditing;
  if (audited) {
    print(audited.output);
    if (!audited.passed) results.push(audited);
  }
  if (checks) print(results.map(({ name, passed }) => `${name}: ${passed ? "passed" : "FAILED"}`).join("\n"));
  const { line, failed, exitCode } = summarize(report, results);
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
