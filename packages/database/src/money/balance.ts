import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { holds, ledger } from "../tables/money.ts";
import { type Checkpoint, newestCheckpoint, saveCheckpoint } from "./checkpoints.ts";

/**
 * Returns the balance in whole seconds: the sum of the ledger, including holds (specification, "Account"). Reads the
 * ledger from `checkpoint` on; the newest one by default. Succeeds even if no checkpoint can be written.
 */
export async function balance(db: Db, accountId: string, checkpoint?: Checkpoint): Promise<number> {
  const sums = await readSums(db, accountId, { checkpoint });
  await checkpointIfDue(db, accountId, sums).catch(() => {});
  return sums.entered;
}

/** Returns the seconds that a new job can hold: the balance minus the open holds (docs/decisions/0001, "Money"). */
export async function available(db: Db, accountId: string): Promise<number> {
  return (await balances(db, accountId)).available;
}

/**
 * Returns both figures, in seconds, from one query. So a job that is being settled counts once: as a hold or as a debit.
 * The hold of `exceptJobId` does not count. A call that reads many ledger rows adds a checkpoint, so that the next call
 * reads few.
 */
export async function balances(
  db: Db,
  accountId: string,
  exceptJobId?: string,
): Promise<{ balance: number; available: number }> {
  const sums = await readSums(db, accountId, { exceptJobId });
  await checkpointIfDue(db, accountId, sums);
  return { balance: sums.entered, available: sums.entered - sums.held };
}

/** A call that reads as many ledger rows as this adds a checkpoint. */
export const rowsBetweenCheckpoints = 500;

type Sums = {
  /** The sum of the ledger, in seconds. */
  entered: number;
  /** The sum of the open holds, in seconds. */
  held: number;
  /** The number of ledger rows after the checkpoint. */
  tail: { rows: number; newestId: number };
};

async function readSums(
  db: Db,
  accountId: string,
  given: { checkpoint?: Checkpoint | undefined; exceptJobId?: string | undefined },
): Promise<Sums> {
  const { exceptJobId, checkpoint = await newestCheckpoint(db, accountId) } = given;
  const [row] = await db.execute(sumsAfter(checkpoint, accountId, exceptJobId));
  return {
    entered: checkpoint.seconds + Number(row?.entered),
    held: Number(row?.held),
    tail: { rows: Number(row?.rows), newestId: Number(row?.newest_id) },
  };
}

/**
 * Returns the query for the ledger rows after a checkpoint, and for the open holds. The checkpoint's id is a parameter,
 * not a subquery, because PostgreSQL would plan to read a third of the ledger for an unknown id.
 */
export function sumsAfter({ ledgerId }: Checkpoint, accountId: string, exceptJobId?: string): SQL {
  const except = exceptJobId === undefined ? sql`` : sql`and ${holds.jobId} <> ${exceptJobId}`;
  return sql`select tail.*,
      (select coalesce(sum(${holds.seconds}), 0) from ${holds}
        where ${holds.accountId} = ${accountId} and ${holds.state} = 'held' ${except}) as held
    from (select coalesce(sum(${ledger.seconds}), 0) as entered, count(*) as rows, max(${ledger.id}) as newest_id
      from ${ledger} where ${ledger.accountId} = ${accountId} and ${ledger.id} > ${ledgerId}) tail`;
}

/** Adds a checkpoint if the sums took many rows. */
export async function checkpointIfDue(
  db: Db,
  accountId: string,
  { entered, tail }: Pick<Sums, "entered" | "tail">,
): Promise<void> {
  if (tail.rows < rowsBetweenCheckpoints) return;
  await saveCheckpoint(db, accountId, { ledgerId: tail.newestId, seconds: entered });
}
