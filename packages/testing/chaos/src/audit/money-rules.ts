import { billOf } from "../load/call.ts";
import { duringRun, fault, is, ofCall, ofJob, type TableRule } from "./column-rule.ts";
import { accountOf, type Facts, sha256, usageName } from "./facts.ts";
import type { Row } from "./records.ts";

const money = "money is whole";
const usage = "keys keep their limits";
const never = Number.POSITIVE_INFINITY;

const ledger: TableRule = {
  name: ({ id, account_id, job_id }) => `row ${id} of the ledger (account ${account_id}, job ${job_id})`,
  columns: {
    id: { free: "A number of a sequence. Only its order counts, which the balances below zero show." },
    account_id: is(money, ({ job_id, reference }, facts) =>
      job_id === null
        ? (accountOf(facts, facts.emails.get(reference?.replace("free:", "") ?? "")) ?? "a granted account")
        : (facts.jobs.get(job_id ?? "")?.accountId ?? "of a job"),
    ),
    seconds: is(money, ({ job_id, reference }, { jobs: all, issued, emails }) =>
      job_id === null
        ? (issued.get(emails.get(reference?.replace("free:", "") ?? "") ?? "")?.grantedSeconds ?? "a grant of the run")
        : -(all.get(job_id ?? "")?.billedSeconds ?? Number.NaN),
    ),
    kind: is(money, ({ job_id }) => (job_id === null ? "grant" : "debit")),
    job_id: is(money, ({ kind, job_id }, { jobs: all }) =>
      kind === "grant" ? null : fault(all.get(job_id ?? "")?.status === "succeeded", "a succeeded job"),
    ),
    reference: is(money, ({ kind, account_id }, facts) => {
      if (kind === "debit") return null;
      return `free:${sha256(facts.accounts.get(account_id ?? "")?.email ?? "")}`;
    }),
    created_at: is(money, ({ job_id }, { jobs: all, span }) => {
      const { createdAt, finishedAt } = all.get(job_id ?? "") ?? { createdAt: span.from, finishedAt: span.until };
      return { from: createdAt, until: finishedAt ?? 0 };
    }),
  },
  rows: (facts) => ({ rule: money, faults: [...belowZero(facts), ...wrongCounts(facts)] }),
};

function belowZero({ ledger: all }: Facts): string[] {
  const sums = new Map<string, number>();
  return all.flatMap(({ account_id, seconds, job_id }) => {
    const sum = (sums.get(account_id ?? "") ?? 0) + Number(seconds);
    sums.set(account_id ?? "", sum);
    return sum < 0 ? [`the balance of account ${account_id} was ${sum} s after job ${job_id}`] : [];
  });
}

/** Each succeeded job has one debit and one hold, each account with free seconds has one grant. Nothing has more. */
function wrongCounts({ jobs: all, debits, holds, accounts: known, ledger: rows, issued }: Facts): string[] {
  const grants = Map.groupBy(
    rows.filter(({ kind }) => kind !== "debit"),
    ({ account_id }) => account_id ?? "",
  );
  return [
    ...[...all.values()].flatMap(({ id, status }) => {
      const [charged, held] = [debits.get(id)?.length ?? 0, holds.get(id)?.length ?? 0];
      const isRight = status === "succeeded" ? charged === 1 && held === 1 : charged === 0 && held <= 1;
      return isRight ? [] : [`job ${id} is ${status}, has ${held} holds and was charged ${charged} times`];
    }),
    ...[...debits.keys()].filter((id) => !all.has(id)).map((id) => `job ${id}, which does not exist, was charged`),
    ...[...known].flatMap(([id, { email }]) => {
      const [given, wanted] = [grants.get(id)?.length ?? 0, (issued.get(email ?? "")?.grantedSeconds ?? 0) > 0 ? 1 : 0];
      return given === wanted ? [] : [`account ${id} has ${given} grants instead of ${wanted}`];
    }),
  ];
}

const holds: TableRule = {
  name: ({ job_id }) => `the hold of job ${job_id}`,
  columns: {
    job_id: ofJob(money, ({ id }) => id, "job_id"),
    account_id: ofJob(money, ({ accountId }) => accountId, "job_id"),
    seconds: ofCall(money, billOf, "job_id"),
    state: ofJob(money, ({ status }) => (status === "succeeded" ? "captured" : "released"), "job_id"),
    created_at: ofJob(money, ({ createdAt: from, finishedAt }) => ({ from, until: finishedAt ?? never }), "job_id"),
    ended_at: ofJob(
      money,
      ({ finishedAt }, row) => ({ from: Number(row.created_at), until: finishedAt ?? 0 }),
      "job_id",
    ),
  },
  // A worker holds the seconds of a job before it uploads the video.
  rows: ({ rows, holds: held }) => ({
    rule: money,
    faults: rows("jobs").flatMap(({ id, stages }) =>
      /"(uploading|analysing|settling)"/.test(stages ?? "") && !held.has(id ?? "")
        ? [`job ${id} was with the provider and has no hold`]
        : [],
    ),
  }),
};

/** A checkpoint is derived: it is the sum of its account's rows up to its own. */
const checkpoints: TableRule = {
  name: ({ account_id, ledger_id }) => `the checkpoint of account ${account_id} at row ${ledger_id}`,
  columns: {
    account_id: is(money, ({ ledger_id }, facts) => facts.ledger.find(({ id }) => id === ledger_id)?.account_id ?? ""),
    ledger_id: is(money, ({ ledger_id, account_id }, facts) =>
      fault(
        facts.ledger.some((row) => row.id === ledger_id && row.account_id === account_id),
        "a row of its account",
      ),
    ),
    seconds: is(money, ({ account_id, ledger_id }, facts) =>
      facts.ledger
        .filter((row) => row.account_id === account_id && Number(row.id) <= Number(ledger_id))
        .reduce((sum, { seconds }) => sum + Number(seconds), 0),
    ),
    created_at: duringRun(money),
  },
};

const nameOf = ({ account_id, key_id, day }: Row) => usageName(account_id, key_id, day ?? "");
const countedUsage = (part: "seconds" | "jobs") =>
  is(usage, (row, facts) => facts.usage.get(nameOf(row))?.[part] ?? "of a debit");
const isCounted = is(usage, (row, facts) => fault(facts.usage.has(nameOf(row)), "of a debit"));
const dailyUsage: TableRule = {
  name: (row) => `the usage of ${nameOf(row)}`,
  columns: {
    ...{ account_id: isCounted, key_id: isCounted, day: isCounted },
    ...{ seconds: countedUsage("seconds"), jobs: countedUsage("jobs") },
  },
  rows: (facts) => {
    const rows = facts.rows("daily_usage");
    const stored = new Set(rows.map(nameOf));
    const months = Map.groupBy(rows, ({ key_id, day }) => `${key_id} ${day?.slice(0, 7)}`);
    return {
      rule: usage,
      faults: [
        ...[...facts.usage.keys()].flatMap((name) => (stored.has(name) ? [] : [`the usage of ${name} is not counted`])),
        ...[...months].flatMap(([month, own]) => {
          const minutes = facts.keyIds.get(own[0]?.key_id ?? "")?.monthly_minutes ?? null;
          const seconds = own.reduce((sum, row) => sum + Number(row.seconds), 0);
          const isPast = minutes !== null && seconds > 60 * Number(minutes);
          return isPast ? [`the key ${month} cost ${seconds} s, and its limit is ${minutes} min`] : [];
        }),
      ],
    };
  },
};

export const moneyRules: Readonly<Record<string, TableRule>> = {
  ledger,
  holds,
  ledger_checkpoints: checkpoints,
  daily_usage: dailyUsage,
};
