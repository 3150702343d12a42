import { eq } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { accounts } from "../tables/accounts.ts";
import { jobs } from "../tables/jobs.ts";
import { type Account, accountColumns } from "./account.ts";

/**
 * Takes the account's row until the transaction ends: admission, holds and endings of one account come one after the
 * other. It is the first lock any transaction takes (account, then job, then hold), so that no two wait for each other.
 */
export async function lockAccount(tx: Tx, id: string): Promise<Account | undefined> {
  // "No key": rows that refer to the account (keys, jobs) may be added meanwhile.
  const [account] = await tx.select(accountColumns).from(accounts).where(eq(accounts.id, id)).for("no key update");
  return account;
}

/** The same for the account of a job. */
export async function lockAccountOfJob(tx: Tx, jobId: string): Promise<Account | undefined> {
  const owner = tx.select({ id: jobs.accountId }).from(jobs).where(eq(jobs.id, jobId));
  const [account] = await tx.select(accountColumns).from(accounts).where(eq(accounts.id, owner)).for("no key update");
  return account;
}
