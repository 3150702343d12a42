/** What the registry knows of the packages that are shipped: one line, and whether the tree is good as far as it goes. */
export type Verdict = { line: string; good: boolean };

const severities = ["critical", "high", "moderate", "low", "info"] as const;
type Counts = Partial<Record<(typeof severities)[number], number>>;
type Report = {
  metadata?: { vulnerabilities?: Counts };
  advisories?: Record<string, { severity?: string; module_name?: string; title?: string }>;
};

/**
 * Judges what `pnpm audit --prod --json` printed: advisories that are critical or high are a fault. Where the registry
 * gave no report, nothing was found out, which is said and is no fault of the tree.
 */
export function auditVerdict(printed: string): Verdict {
  const report = parsed(printed);
  const counts = report?.metadata?.vulnerabilities;
  if (!counts) return { line: "audit: not done; the registry gave no report on known vulnerabilities", good: true };
  const told = severities.flatMap((severity) => (counts[severity] ? [`${counts[severity]} ${severity}`] : []));
  if (told.length === 0) return { line: "audit: no known vulnerabilities in what is shipped", good: true };
  const named = Object.values(report.advisories ?? {}).map(
    ({ severity, module_name: name, title }) => `\n  ${severity}: ${name}: ${title}`,
  );
  const good = !counts.critical && !counts.high;
  return { line: `audit: known vulnerabilities in what is shipped: ${told.join(", ")}${named.join("")}`, good };
}

function parsed(text: string): Report | undefined {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return undefined;
  }
}
