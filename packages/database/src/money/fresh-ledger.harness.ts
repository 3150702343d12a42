import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { openDatabase } from "../connection/open-database.ts";
import { claimJob } from "../fair-share/claim-next-job.ts";
import { freshDatabase, newJob } from "../fresh-database.harness.ts";
import { insertKey, type KeyLimits } from "../keys/keys.ts";
import { balances } from "./balance.ts";
import { openAccount } from "./open-account.ts";

const debitsAtOnce = 50_000;

/** A database for one test, with the steps that tests of money need most. */
export async function freshLedger() {
  const fresh = await freshDatabase(20);
  const { url, db } = fresh;

  const newAccount = async (seconds: number) => {
    const email = `${randomBytes(6).toString("hex")}@example.com`;
    const { account } = await openAccount(db, { email, freeSeconds: seconds });
    return account;
  };

  const queuedJob = (accountId: string, waiter?: string, keyId: string | null = null) =>
    newJob(db, accountId, { keyId, waiter, videoUrl: null, hasUpload: true, requestHash: "h" });

  const runningJob = async (accountId: string, keyId?: string) => {
    const jobId = await queuedJob(accountId, undefined, keyId);
    await claimJob(db, jobId);
    return { jobId, fence: 1, accountId };
  };

  const newKey = async (accountId: string, limits: KeyLimits = {}) => {
    const sha256 = randomBytes(32);
    const { id } = await insertKey(db, { accountId, name: "test", sha256, display: "v2j_live_test", ...limits });
    return id;
  };

  /** Adds debits of one second, without a lock. Each statement ends well within the time limit of a statement. */
  const addDebits = async (accountId: string, count: number) => {
    for (let left = count; left > 0; left -= debitsAtOnce) {
      await db.execute(sql`
        insert into ledger (account_id, seconds, kind, job_id)
        select ${accountId}, -1, 'debit', gen_random_uuid() from generate_series(1, ${Math.min(left, debitsAtOnce)})`);
    }
  };

  return {
    url,
    db,
    /** A pool other than the one under test. */
    reopen: () => openDatabase(url, { maxConnections: 4, applicationName: "test" }),
    newAccount,
    newKey,
    addDebits,
    queuedJob,
    runningJob,
    sums: (accountId: string) => balances(db, accountId),
    [Symbol.asyncDispose]: fresh[Symbol.asyncDispose],
  };
}

export const answer = { dataText: '{"a":1.0}', model: "model", billedSeconds: 60 };

/** An error as `failAndRelease` takes it. */
export const failure = { code: "extraction_failed", message: "Nothing conformed." } as const;
