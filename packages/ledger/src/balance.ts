import { type Db, holds, ledger } from "@video-to-json/database";
import { sql } from "drizzle-orm";

/** Returns the balance in whole seconds: the sum of the ledger, holds included (specification, "Account"). */
export async function balance(db: Db, accountId: string): Promise<number> {
  return (await balances(db, accountId)).balance;
}

/** Returns the seconds that a new job can hold: the balance minus the open holds (docs/decisions/0001, "Money"). */
export async function available(db: Db, accountId: string): Promise<number> {
  return (await balances(db, accountId)).available;
}

/**
 * Returns both figures, in seconds, from one query. So a job that is being settled counts once: as a hold or as a debit.
 * The hold of `exceptJobId` does not count.
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
