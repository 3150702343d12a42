import type { Tx } from "@video-to-json/database";
import { numberOf, type Row, textOf } from "./row.ts";

/** The price of each key's jobs on each day: as the service counts it, and as the sum of the debits. */
export type UsageRecords = {
  counted: readonly UsageRecord[];
  charged: readonly UsageRecord[];
};

type UsageRecord = {
  accountId: string;
  keyId: string | null;
  /** In UTC. */
  day: string;
  seconds: number;
  jobs: number;
  /** The limit of the key in a calendar month. */
  monthlyMinutes: number | null;
};

/** Reads the rows in a transaction. */
export async function readUsage(tx: Tx): Promise<UsageRecords> {
  const counted =
    await tx.execute<Row>(`select daily_usage.account_id, key_id, day::text, seconds, jobs, monthly_minutes
    from daily_usage left join api_keys on api_keys.id = key_id`);
  const charged = await tx.execute<Row>(`select ledger.account_id, key_id, -sum(seconds) as seconds, count(*) as jobs,
    (ledger.created_at at time zone 'UTC')::date::text as day, monthly_minutes
    from ledger left join jobs on jobs.id = job_id left join api_keys on api_keys.id = key_id
    where kind = 'debit' group by ledger.account_id, key_id, day, monthly_minutes`);
  return { counted: counted.map(usageOf), charged: charged.map(usageOf) };
}

function usageOf(row: Row): UsageRecord {
  return {
    accountId: String(row.account_id),
    keyId: textOf(row.key_id),
    day: String(row.day),
    seconds: Number(row.seconds),
    jobs: Number(row.jobs),
    monthlyMinutes: numberOf(row.monthly_minutes),
  };
}
