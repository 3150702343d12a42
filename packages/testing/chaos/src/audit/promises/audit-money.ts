import type { Evidence, Violation } from "../evidence.ts";
import type { JobRecord } from "../records/read-jobs.ts";
import type { Records } from "../records/read-records.ts";

/** Checks the ledger, the grants and the holds of each account and each job. */
export function auditMoney({ records, granted }: Pick<Evidence, "records" | "granted">): Violation[] {
  const faults = [
    ...belowZero(records.ledger),
    ...wrongCheckpoints(records),
    ...badGrants(records, granted),
    ...badDebits(records),
    ...badHolds(records),
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

/** A checkpoint is derived: it is the sum of its account's rows up to its own. */
function wrongCheckpoints({ ledger, checkpoints }: Records): string[] {
  return checkpoints.flatMap(({ accountId, ledgerId, seconds }) => {
    const rows = ledger.filter((row) => row.accountId === accountId && row.id <= ledgerId);
    const sum = rows.reduce((total, row) => total + row.seconds, 0);
    return sum === seconds
      ? []
      : [`the checkpoint of account ${accountId} at row ${ledgerId} is ${seconds} s instead of ${sum} s`];
  });
}

/** An account and its grant are stored in one transaction: each account has its grant once, and no other. */
function badGrants({ ledger, accounts }: Records, granted: Evidence["granted"]): string[] {
  const credits = Map.groupBy(
    ledger.filter(({ kind, seconds }) => kind !== "debit" || seconds >= 0),
    ({ accountId }) => accountId,
  );
  const emails = new Map(accounts.map(({ id, email }) => [id, email]));
  const unknown = [...credits.keys()].filter((accountId) => !emails.has(accountId));
  return [
    ...unknown.map((accountId) => `account ${accountId}, which does not exist, has a grant`),
    ...accounts.flatMap(({ id, email }) => {
      const wanted = [granted.get(email) ?? 0].filter((seconds) => seconds > 0);
      const given = (credits.get(id) ?? []).map(({ seconds }) => seconds);
      return String(given) === String(wanted) ? [] : [`account ${id} was granted [${given}] s instead of [${wanted}]`];
    }),
  ];
}

function badDebits({ jobs, ledger }: Records): string[] {
  const debits = Map.groupBy(
    ledger.filter(({ kind }) => kind === "debit"),
    ({ jobId }) => jobId,
  );
  const known = new Set(jobs.map(({ id }) => id));
  const ofNoJob = [...debits.keys()].filter((jobId) => jobId === null || !known.has(jobId));
  return [
    ...ofNoJob.map((jobId) => `job ${jobId}, which does not exist, was charged`),
    ...jobs.flatMap(({ id, accountId, status, billedSeconds }) => {
      const own = debits.get(id) ?? [];
      const charged = own.map(({ seconds }) => -seconds);
      const right =
        status === "succeeded" ? charged.length === 1 && charged[0] === billedSeconds : charged.length === 0;
      const payers = own.map((debit) => debit.accountId).filter((payer) => payer !== accountId);
      return [
        ...(right ? [] : [`job ${id} is ${status}, costs ${billedSeconds} s and was charged [${charged}]`]),
        ...payers.map((payer) => `job ${id} of account ${accountId} was charged to account ${payer}`),
      ];
    }),
  ];
}

function badHolds({ jobs, holds }: Records): string[] {
  const byJob = Map.groupBy(holds, ({ jobId }) => jobId);
  const known = new Set(jobs.map(({ id }) => id));
  return [
    ...[...byJob.keys()]
      .filter((id) => !known.has(id))
      .map((id) => `there is a hold of job ${id}, which does not exist`),
    ...jobs.flatMap((job) => holdFaults(job, byJob.get(job.id) ?? [])),
  ];
}

function holdFaults({ id, accountId, status, billedSeconds }: JobRecord, own: Records["holds"]): string[] {
  const captured = own.filter(({ state }) => state === "captured");
  const others = own.filter((hold) => hold.accountId !== accountId);
  const covered = captured.length === 1 && captured[0]?.seconds === billedSeconds;
  return [
    ...(own.length > 1 ? [`job ${id} has ${own.length} holds`] : []),
    ...others.map((hold) => `the hold of job ${id} of account ${accountId} belongs to account ${hold.accountId}`),
    ...(own.some(({ state }) => state === "held") ? [`the hold of job ${id}, which is ${status}, is open`] : []),
    ...(status === "succeeded" && !covered
      ? [
          `job ${id} succeeded for ${billedSeconds} s, and of its hold [${captured.map(({ seconds }) => seconds)}] s were captured`,
        ]
      : []),
    ...(status !== "succeeded" && captured.length > 0
      ? [`the hold of job ${id}, which is ${status}, was captured`]
      : []),
  ];
}
