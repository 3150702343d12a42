import type { Tx } from "@video-to-json/database";
import type { Row } from "./row.ts";

/** The rows that workers use to share their places. */
export type QueueRecords = {
  /** The ids of the open jobs. */
  queueJobs: readonly string[];
  /** How many jobs of each account wait and run. */
  queueAccounts: readonly { accountId: string; waiting: number; running: number }[];
  /** The places of each recorded worker, and whether they count: not after a long silence. */
  workers: readonly { id: string; places: number; counts: boolean }[];
};

/** Reads the rows in a transaction. */
export async function readQueueTables(tx: Tx): Promise<QueueRecords> {
  const queueJobs = await tx.execute<Row>("select job_id from queue_jobs");
  const queueAccounts = await tx.execute<Row>("select account_id, waiting, running from queue_accounts");
  const workers = await tx.execute<Row>(
    "select id, places, seen_at > clock_timestamp() - interval '15 seconds' as counts from workers where app = 'worker'",
  );
  return {
    queueJobs: queueJobs.map((row) => String(row.job_id)),
    queueAccounts: queueAccounts.map((row) => ({
      accountId: String(row.account_id),
      waiting: Number(row.waiting),
      running: Number(row.running),
    })),
    workers: workers.map((row) => ({
      id: String(row.id),
      places: Number(row.places),
      counts: row.counts === true,
    })),
  };
}
