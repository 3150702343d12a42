import { type Rule, rules } from "./audit/evidence.ts";
import { faultKinds, recoveryGoals } from "./faults/fault-kinds.ts";
import type { Call } from "./load/call.ts";
import type { Trial } from "./run-trial.ts";

const mostShown = 30;

/** A trial for a person: what was done to the service, what it held, how long it took, and what was not held. */
export function trialTable(trial: Trial): string {
  const { seed, seconds, faults, calls, accounts, jobs, quietMs, violations } = trial;
  const requests = calls.reduce((sum, { attempts }) => sum + attempts.length, 0);
  const shown = violations.slice(0, mostShown).map(({ rule, what }) => `  ${rule}: ${what}`);
  const more = violations.length > mostShown ? [`  … and ${violations.length - mostShown} more`] : [];
  return [
    `Seed ${seed}: ${faults.length} faults in ${seconds} s; ${calls.length} calls by ${requests} requests from ${accounts} accounts, ${jobs} jobs; quiet after ${inSeconds(quietMs)}.`,
    "",
    ...columns(["fault", "times", "longest recovery", "goal", "longest extra wait"], faultRows(trial)),
    "",
    ...columns(["what clients were told", "times"], outcomeRows(calls)),
    "",
    ...columns(["promise", "held"], ruleRows(trial)),
    "",
    violations.length === 0
      ? "Everything was held."
      : `Not held, in ${violations.length} ${violations.length === 1 ? "case" : "cases"}:`,
    ...shown,
    ...more,
  ].join("\n");
}

function faultRows({ faults, recoveries }: Trial): string[][] {
  const drops = faultKinds.map((kind) => {
    const times = faults.filter((fault) => fault.kind === kind).length;
    const own = recoveries.filter((each) => each.kind === kind);
    const worst = Math.max(0, ...own.map(({ ms }) => ms));
    const extra = Math.max(0, ...own.map(({ extraWaitMs }) => extraWaitMs));
    const goal = recoveryGoals[kind];
    const measured = times > 0 && goal !== undefined;
    return [
      kind,
      String(times),
      measured ? inSeconds(worst) : "",
      goal === undefined ? "" : inSeconds(goal),
      extra > 0 ? inSeconds(extra) : "",
    ];
  });
  return drops;
}

/** How often each outcome came, most often first. */
export function outcomesOf(calls: readonly Call[]): Map<string, number> {
  const outcomes = calls.flatMap(({ attempts }) => attempts.map(({ outcome }) => nameOf(outcome)));
  const counts = [...Map.groupBy(outcomes, (name) => name)].map(([name, all]) => [name, all.length] as const);
  return new Map(counts.toSorted(([, a], [, b]) => b - a));
}

function outcomeRows(calls: readonly Call[]): string[][] {
  return [...outcomesOf(calls)].map(([name, count]) => [name, String(count)]);
}

function nameOf(outcome: Call["attempts"][number]["outcome"]): string {
  switch (outcome.is) {
    case "answered":
      if (outcome.code !== undefined) return outcome.code;
      return outcome.replayed ? "an answer, replayed" : "an answer";
    case "refused":
      return "connection refused";
    case "broken":
      return "connection broken";
    case "dropped":
      return `client hung up in ${outcome.when}`;
    case "hung":
      return "no answer in time";
    default:
      return outcome satisfies never;
  }
}

function ruleRows({ violations }: Trial): string[][] {
  return Object.keys(rules).map((rule) => {
    const broken = violations.filter((violation) => violation.rule === rule).length;
    return [rules[rule as Rule], broken === 0 ? "yes" : `NO: ${broken}`];
  });
}

function columns(head: string[], rows: string[][]): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function inSeconds(ms: number): string {
  return Number.isFinite(ms) ? `${(ms / 1000).toFixed(1)} s` : "never";
}
