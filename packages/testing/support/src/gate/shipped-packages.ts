import { execFile, execFileSync } from "node:child_process";
import type { CheckResult } from "./run-gate.ts";

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

/** Critical and high advisories fail. Without a report of the registry, the check passes and says so. */
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

const allowed = new Set([
  ...["0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0"],
  ...["ISC", "MIT", "MIT-0", "Python-2.0", "Unlicense"],
]);

/** Returns whether an SPDX expression is allowed: an OR needs one allowed side, an AND needs both. */
export function isAllowed(expression: string): boolean {
  const plain = expression.replace(/^\(([^()]*)\)$/, "$1").trim();
  const group = /\(([^()]*)\)/.exec(plain);
  if (group?.[1] !== undefined) return isAllowed(plain.replace(group[0], isAllowed(group[1]) ? "MIT" : "none"));
  return plain.split(/ OR /i).some((side) => side.split(/ AND /i).every((part) => allowed.has(part.trim())));
}

/** Returns the installed third-party packages that the apps and packages need at run time, transitive ones included. */
export function shippedPackages(root: string): { name: string; license: string }[] {
  const args = ["licenses", "list", "--prod", "--json", "--filter=!./packages/testing/**"];
  const printed = execFileSync("pnpm", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  return Object.values(JSON.parse(printed) as Record<string, { name: string; license: string }[]>).flat();
}
