import { eq } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { runStatement } from "../connection/run-statement.ts";
import { accounts } from "../tables/accounts.ts";
import { jobs } from "../tables/jobs.ts";
import { type Account, accountColumns } from "./account.ts";

/**
 * Locks the account's row until the transaction ends, so that admissions, holds and settlements of one account run one
 * after the other. Every transaction locks in the order account, job, hold, so there are no deadlocks.
 */
export async function lockAccount(tx: Tx, id: string): Promise<Account | undefined> {
  // "no key" allows inserts of rows that reference the account, such as keys and jobs.
  const [account] = await runStatement<Account>(tx, lockText, [id], { withBegin: true });
  return account;
}

const lockText = `select id, email, max_jobs as "maxJobs", retention_days as "retentionDays"
from accounts where id = $1 for no key update`;

/** Locks the row of a job's account, like `lockAccount`. */
export async function lockAccountOfJob(tx: Tx, jobId: string): Promise<Account | undefined> {
  const owner = tx.select({ id: jobs.accountId }).from(jobs).where(eq(jobs.id, jobId));
  const [account] = await tx.select(accountColumns).from(accounts).where(eq(accounts.id, owner)).for("no key update");
  return account;
}
