import { randomBytes, randomUUID } from "node:crypto";
import { addWaiter, claimJob, insertJob, openDatabase } from "@video-to-json/database";
import { createTestDatabase } from "@video-to-json/testing";
import { sql } from "drizzle-orm";
import { balances } from "./balance.ts";
import { openAccount } from "./open-account.ts";

/** A database for one test, with the steps that tests of money need most. */
export async function freshLedger() {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url, { maxConnections: 20, applicationName: "test" });
  const { db } = database;

  const newAccount = async (seconds: number) => {
    const email = `${randomBytes(6).toString("hex")}@example.com`;
    const { account } = await openAccount(db, { email, freeSeconds: seconds });
    return account;
  };

  const queuedJob = async (accountId: string, waiter?: string) => {
    const jobId = randomUUID();
    await db.transaction(async (tx) => {
      await insertJob(tx, {
        id: jobId,
        accountId,
        schemaText: "{}",
        instructions: null,
        videoUrl: null,
        hasUpload: true,
        requestHash: "h",
        mayBeCancelled: waiter !== undefined,
        deadlineSeconds: 480,
      });
      if (waiter !== undefined) await addWaiter(tx, { jobId, callId: waiter });
    });
    return jobId;
  };

  /** A job of an account under its first claim. */
  const runningJob = async (accountId: string) => {
    const jobId = await queuedJob(accountId);
    await claimJob(db, jobId);
    return { jobId, fence: 1, accountId };
  };

  /** Adds debits of one second, in one statement and without a lock. */
  const addDebits = async (accountId: string, count: number) => {
    await db.execute(sql`
      insert into ledger (account_id, seconds, kind, job_id)
      select ${accountId}, -1, 'debit', gen_random_uuid() from generate_series(1, ${count})`);
  };

  return {
    url,
    db,
    /** Another pool. */
    reopen: () => openDatabase(url, { maxConnections: 4, applicationName: "test" }),
    newAccount,
    addDebits,
    queuedJob,
    runningJob,
    sums: (accountId: string) => balances(db, accountId),
    async [Symbol.asyncDispose]() {
      await database.close();
      await drop();
    },
  };
}

/** An answer as `settle` takes it. */
export const answer = { dataText: '{"a":1.0}', model: "model", billedSeconds: 60 };

/** An error as `failAndRelease` takes it. */
export const failure = { code: "extraction_failed", message: "Nothing conformed." } as const;
