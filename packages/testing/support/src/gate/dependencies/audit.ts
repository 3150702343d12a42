import { execFile } from "node:child_process";
import type { CheckResult } from "../run-check.ts";

const severities = ["critical", "high", "moderate", "low", "info"] as const;
type Counts = Partial<Record<(typeof severities)[number], number>>;
type Report = {
  metadata?: { vulnerabilities?: Counts };
  advisories?: Record<string, { severity?: string; module_name?: string; title?: string }>;
};

/** Asks the registry for known vulnerabilities of the packages that ship. Waits one minute at most. */
export function audit(directory: string): Promise<CheckResult> {
  const began = performance.now();
  return new Promise((resolve) => {
    const options = { cwd: directory, timeout: 60_000, maxBuffer: 2 ** 26 };
    execFile("pnpm", ["audit", "--prod", "--json"], options, (_error, stdout) => {
      resolve({ name: "audit", seconds: (performance.now() - began) / 1000, ...auditVerdict(stdout) });
    });
  });
}

/**
 * Reads the output of `pnpm audit --prod --json`. Critical and high advisories fail. If the registry gives no report,
 * the check passes and says so in its output.
 */
export function auditVerdict(printed: string): Pick<CheckResult, "passed" | "output"> {
  const report = parsed(printed);
  const counts = report?.metadata?.vulnerabilities;
  if (!counts) return { output: "audit: not done; the registry returned no report of vulnerabilities", passed: true };
  const found = severities.flatMap((severity) => (counts[severity] ? [`${counts[severity]} ${severity}`] : []));
  if (found.length === 0) return { output: "audit: no known vulnerabilities in the packages that ship", passed: true };
  const named = Object.values(report.advisories ?? {}).map(
    ({ severity, module_name: name, title }) => `\n  ${severity}: ${name}: ${title}`,
  );
  const output = `audit: known vulnerabilities in the packages that ship: ${found.join(", ")}${named.join("")}`;
  return { output, passed: !counts.critical && !counts.high };
}

function parsed(text: string): Report | undefined {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return undefined;
  }
}
