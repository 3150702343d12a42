import type { Db, Tx } from "@video-to-json/database";
import { type AccountRecords, readAccounts } from "./read-accounts.ts";
import { type JobRecords, readJobs } from "./read-jobs.ts";
import { type MoneyRecords, readMoney } from "./read-money.ts";
import { type QueueRecords, readQueueTables } from "./read-queue-tables.ts";
import { readUsage, type UsageRecords } from "./read-usage.ts";

/** The rows that the audit checks. */
export type Records = JobRecords & MoneyRecords & AccountRecords & QueueRecords & UsageRecords;

/** Reads all rows in one snapshot. */
export function readRecords(db: Db): Promise<Records> {
  return db.transaction(readRecordsIn, { isolationLevel: "repeatable read", accessMode: "read only" });
}

/** Reads all rows in a transaction. */
export async function readRecordsIn(tx: Tx): Promise<Records> {
  return {
    ...(await readJobs(tx)),
    ...(await readMoney(tx)),
    ...(await readAccounts(tx)),
    ...(await readQueueTables(tx)),
    ...(await readUsage(tx)),
  };
}
