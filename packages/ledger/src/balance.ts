import { type Db, holds, ledger } from "@video-to-json/database";
import { sql } from "drizzle-orm";

/** The balance in whole seconds: the sum of the ledger (specification, "Account"). What is on hold is still in it. */
export async function balance(db: Db, accountId: string): Promise<number> {
  return (await balances(db, accountId)).balance;
}

/** Seconds a new job may count on: the balance less what open holds set aside (docs/decisions/0001, "Money"). */
export async function available(db: Db, accountId: string): Promise<number> {
  return (await balances(db, accountId)).available;
}

/**
 * Both figures in one query, so of one moment: a job being settled is never seen both charged and held, nor neither.
 * The hold of `exceptJobId` is left out.
 */
export async function balances(
  db: Db,
  accountId: string,
  exceptJobId?: string,
): Promise<{ balance: number; available: number }> {
  const except = exceptJobId === undefined ? sql`` : sql`and ${holds.jobId} <> ${exceptJobId}`;
  const [sums] = await db.execute<{ entered: string; held: string }>(sql`select
    (select coalesce(sum(${ledger.seconds}), 0) from ${ledger} where ${ledger.accountId} = ${accountId}) as entered,
    (select coalesce(sum(${holds.seconds}), 0) from ${holds}
      where ${holds.accountId} = ${accountId} and ${holds.state} = 'held' ${except}) as held`);
  const entered = Number(sums?.entered);
  return { balance: entered, available: entered - Number(sums?.held) };
}
