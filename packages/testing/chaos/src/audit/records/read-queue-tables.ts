import type { Tx } from "@video-to-json/database";
import type { Row } from "./row.ts";

/** The rows by which the workers share their places. */
export type QueueRecords = {
  /** The ids of the open jobs. */
  queueJobs: readonly string[];
  /** How many jobs of each account wait and run. */
  queueAccounts: readonly { accountId: string; waiting: number; running: number }[];
};

/** Reads the rows in a transaction. */
export async function readQueueTables(tx: Tx): Promise<QueueRecords> {
  const queueJobs = await tx.execute<Row>("select job_id from queue_jobs");
  const queueAccounts = await tx.execute<Row>("select account_id, waiting, running from queue_accounts");
  return {
    queueJobs: queueJobs.map((row) => String(row.job_id)),
    queueAccounts: queueAccounts.map((row) => ({
      accountId: String(row.account_id),
      waiting: Number(row.waiting),
      running: Number(row.running),
    })),
  };
}
