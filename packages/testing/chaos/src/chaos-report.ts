import { textTable } from "@video-to-json/testing/running";
import { rules } from "./audit/evidence.ts";
import { allFaults } from "./faults/all-faults.ts";
import type { Call } from "./load/call.ts";
import type { ChaosRun } from "./run/run-chaos.ts";

const maxShown = 30;

/** Returns the tables of a chaos run: the faults and recoveries, the outcomes for clients, the promises and the violations. */
export function chaosReport(result: ChaosRun): string {
  const { seed, seconds, faults, skipped, leftOut, calls, accounts, jobs, quietMs, violations, plants } = result;
  const requests = calls.reduce((sum, { attempts }) => sum + attempts.length, 0);
  const shown = violations.slice(0, maxShown).map(({ rule, what }) => `  ${rule}: ${what}`);
  const free = plants.filter((plant) => !plant.found && plant.free !== undefined).map(({ column }) => column);
  const unless = (isEmpty: boolean, line: string) => (isEmpty ? [] : ["", line]);
  return [
    `Seed ${seed}: ${faults.length} faults in ${seconds} s; ${calls.length} calls by ${requests} requests from ${accounts} accounts, ${jobs} jobs; quiet after ${inSeconds(quietMs)}.`,
    "",
    ...textTable([["fault", "times", "longest recovery", "goal", "longest extra wait"], ...faultRows(result)]),
    ...unless(
      skipped.length === 0,
      `Not injected: ${skipped.join(", ")}. Faults of S3 need --storage s3, the others root and unshare(1).`,
    ),
    ...unless(
      leftOut.length === 0,
      `Less than one round: ${seconds} s left out ${leftOut.length} kinds of faults: ${leftOut.join(", ")}.`,
    ),
    "",
    ...textTable([
      ["outcome for the client", "times"],
      ...[...outcomesOf(calls)].map(([name, count]) => [name, String(count)]),
    ]),
    "",
    ...textTable([["promise", "kept"], ...ruleRows(result)]),
    ...unless(plants.length === 0, `${plants.length} changed columns, all found but the free: ${free.join(", ")}.`),
    "",
    violations.length === 0 ? "Every promise was kept." : `Violations: ${violations.length}`,
    ...shown,
    ...(violations.length > maxShown ? [`  … and ${violations.length - maxShown} more`] : []),
  ].join("\n");
}

function faultRows({ faults, recoveries }: ChaosRun): string[][] {
  return allFaults.map(({ kind, goalMs: goal }) => {
    const times = faults.filter((fault) => fault.kind === kind).length;
    const own = recoveries.filter((each) => each.kind === kind);
    const worst = times > 0 && goal !== undefined ? inSeconds(Math.max(0, ...own.map(({ ms }) => ms))) : "";
    const extra = Math.max(0, ...own.map(({ extraWaitMs }) => extraWaitMs));
    return [kind, String(times), worst, goal ? inSeconds(goal) : "", extra > 0 ? inSeconds(extra) : ""];
  });
}

/** Returns how often each outcome occurred, most often first. */
export function outcomesOf(calls: readonly Call[]): Map<string, number> {
  const outcomes = calls.flatMap(({ attempts }) => attempts.map(({ outcome }) => nameOf(outcome)));
  const counts = [...Map.groupBy(outcomes, (name) => name)].map(([name, all]) => [name, all.length] as const);
  return new Map(counts.toSorted(([, a], [, b]) => b - a));
}

const namesOfOutcomes = { refused: "connection refused", broken: "connection broken", hung: "no answer in time" };

function nameOf(outcome: Call["attempts"][number]["outcome"]): string {
  if (outcome.is === "dropped") return `client closed the connection in ${outcome.when}`;
  if (outcome.is !== "answered") return namesOfOutcomes[outcome.is];
  return outcome.code ?? (outcome.replayed ? "an answer, replayed" : "an answer");
}

function ruleRows({ violations }: ChaosRun): string[][] {
  return Object.entries(rules).map(([rule, promise]) => {
    const broken = violations.filter((violation) => violation.rule === rule).length;
    return [promise, broken === 0 ? "yes" : `NO: ${broken}`];
  });
}

function inSeconds(ms: number): string {
  return Number.isFinite(ms) ? `${(ms / 1000).toFixed(1)} s` : "never";
}

const everyMs = 10_000;

/** Creates a function that prints the current step to stderr, every ten seconds at most. */
export function createStatusLine(): (what: string) => void {
  const startedAt = Date.now();
  let writtenAt = Number.NEGATIVE_INFINITY;
  return (what) => {
    if (Date.now() - writtenAt < everyMs) return;
    writtenAt = Date.now();
    console.error(`${Math.round((writtenAt - startedAt) / 1000)} s: ${what}`);
  };
}
