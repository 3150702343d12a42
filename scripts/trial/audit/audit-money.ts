import type { Violation } from "./evidence.ts";
import type { Records } from "./read-records.ts";

/** The ledger adds up: for every account at every moment, and for every job. */
export function auditMoney({ jobs, ledger, holds }: Records): Violation[] {
  const faults = [
    ...belowZero(ledger),
    ...grantedTwice(ledger),
    ...badDebits({ jobs, ledger }),
    ...badHolds(jobs, holds),
  ];
  return faults.map((what) => ({ rule: "money is whole", what }));
}

function belowZero(ledger: Records["ledger"]): string[] {
  const sums = new Map<string, number>();
  return ledger.flatMap(({ accountId, seconds, jobId }) => {
    const sum = (sums.get(accountId) ?? 0) + seconds;
    sums.set(accountId, sum);
    return sum < 0 ? [`the balance of account ${accountId} was ${sum} s after job ${jobId}`] : [];
  });
}

function grantedTwice(ledger: Records["ledger"]): string[] {
  const free = ledger.filter(({ kind, reference }) => kind === "grant" && reference?.startsWith("free:"));
  return [...Map.groupBy(free, ({ accountId }) => accountId)].flatMap(([accountId, grants]) =>
    grants.length > 1 ? [`account ${accountId} was granted its free seconds ${grants.length} times`] : [],
  );
}

function badDebits({ jobs, ledger }: Pick<Records, "jobs" | "ledger">): string[] {
  const debits = Map.groupBy(
    ledger.filter(({ kind }) => kind === "debit"),
    ({ jobId }) => jobId,
  );
  const known = new Set(jobs.map(({ id }) => id));
  const ofNoJob = [...debits.keys()].filter((jobId) => jobId === null || !known.has(jobId));
  return [
    ...ofNoJob.map((jobId) => `job ${jobId}, which there is not, was charged`),
    ...jobs.flatMap(({ id, status, billedSeconds }) => {
      const charged = (debits.get(id) ?? []).map(({ seconds }) => -seconds);
      const right =
        status === "succeeded" ? charged.length === 1 && charged[0] === billedSeconds : charged.length === 0;
      return right ? [] : [`job ${id} is ${status}, costs ${billedSeconds} s and was charged [${charged}]`];
    }),
  ];
}

function badHolds(jobs: Records["jobs"], holds: Records["holds"]): string[] {
  const byJob = new Map(holds.map((hold) => [hold.jobId, hold]));
  return jobs.flatMap(({ id, status, billedSeconds }) => {
    const hold = byJob.get(id);
    if (hold?.state === "held") return [`the hold of job ${id}, which is ${status}, is open`];
    const captured = hold?.state === "captured" && hold.seconds >= billedSeconds;
    if (status === "succeeded") return captured ? [] : [`job ${id} succeeded and its hold was not captured`];
    return hold?.state === "captured" ? [`the hold of job ${id}, which is ${status}, was captured`] : [];
  });
}
