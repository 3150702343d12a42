import { and, desc, eq, gt, lt, lte, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { holds, ledger, ledgerCheckpoints } from "../tables/money.ts";

/** A row of the ledger, and the balance after it. */
export type LedgerEntry = {
  id: number;
  kind: "grant" | "debit";
  seconds: number;
  balanceAfter: number;
  /** Null for a grant. */
  jobId: string | null;
  /** The purpose of a grant; null for a debit. */
  reference: string | null;
  createdAt: Date;
};

/** Where a page of the ledger begins: after this row. Rows never change, so the balance before it does not either. */
export type LedgerPlace = { id: number; balanceBefore: number };

/**
 * Returns one page of an account's ledger, newest first, and the position of the next one. Every page costs the same:
 * the balance at its beginning comes from the position, or from the newest checkpoint before it.
 */
export async function listLedger(
  db: Db,
  { accountId, limit, after }: { accountId: string; limit: number; after?: LedgerPlace | undefined },
): Promise<{ entries: LedgerEntry[]; last: LedgerPlace | undefined }> {
  const rows = await db
    .select()
    .from(ledger)
    .where(and(eq(ledger.accountId, accountId), after && lt(ledger.id, after.id)))
    .orderBy(desc(ledger.id))
    .limit(limit + 1);
  const [newest] = rows;
  if (!newest) return { entries: [], last: undefined };
  let balanceAfter = after?.balanceBefore ?? (await balanceUpTo(db, accountId, newest.id));
  const entries = rows.slice(0, limit).map(({ id, kind, seconds, jobId, reference, createdAt }) => {
    const entry = { id, kind, seconds, balanceAfter, jobId, reference, createdAt };
    balanceAfter -= seconds;
    return entry;
  });
  const last = entries.at(-1);
  return { entries, last: rows.length > limit && last ? { id: last.id, balanceBefore: balanceAfter } : undefined };
}

/** Returns the sum of an account's rows up to one of them, in seconds. */
async function balanceUpTo(db: Db, accountId: string, ledgerId: number): Promise<number> {
  const [checkpoint = { ledgerId: 0, seconds: 0 }] = await db
    .select({ ledgerId: ledgerCheckpoints.ledgerId, seconds: ledgerCheckpoints.seconds })
    .from(ledgerCheckpoints)
    .where(and(eq(ledgerCheckpoints.accountId, accountId), lte(ledgerCheckpoints.ledgerId, ledgerId)))
    .orderBy(desc(ledgerCheckpoints.ledgerId))
    .limit(1);
  const [tail] = await db
    .select({ seconds: sql`coalesce(sum(${ledger.seconds}), 0)`.mapWith(Number) })
    .from(ledger)
    .where(and(eq(ledger.accountId, accountId), gt(ledger.id, checkpoint.ledgerId), lte(ledger.id, ledgerId)));
  return checkpoint.seconds + (tail?.seconds ?? 0);
}

/** Returns the sum of an account's grants, in seconds. */
export async function granted(db: Db, accountId: string): Promise<number> {
  const [row] = await db
    .select({ seconds: sql`coalesce(sum(${ledger.seconds}), 0)`.mapWith(Number) })
    .from(ledger)
    .where(and(eq(ledger.accountId, accountId), sql`${ledger.kind} = 'grant'`));
  return row?.seconds ?? 0;
}

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
 * Returns both figures, in seconds, from one query, so that a job that is being settled is in one of them only. They
 * leave out the hold of `exceptJobId`. A call that reads many ledger rows adds a checkpoint, so that the next call
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

/** The sum, in seconds, of an account's ledger rows up to an id. */
export type Checkpoint = { ledgerId: number; seconds: number };

/** Returns the newest checkpoint of an account. An account without one gets a checkpoint of zero seconds before its first row. */
export async function newestCheckpoint(db: Db, accountId: string): Promise<Checkpoint> {
  const [newest] = await db
    .select({ ledgerId: ledgerCheckpoints.ledgerId, seconds: ledgerCheckpoints.seconds })
    .from(ledgerCheckpoints)
    .where(eq(ledgerCheckpoints.accountId, accountId))
    .orderBy(desc(ledgerCheckpoints.ledgerId))
    .limit(1);
  return newest ?? { ledgerId: 0, seconds: 0 };
}

/**
 * Stores the sum of the rows that one query has read (docs/decisions/0001, "Isolation"). It needs no lock: an account's
 * ids are in the order of its commits, so the query has read every row up to its newest one. Several calls may store
 * the same sum.
 */
async function saveCheckpoint(db: Db, accountId: string, checkpoint: Checkpoint): Promise<void> {
  await db
    .insert(ledgerCheckpoints)
    .values({ accountId, ...checkpoint })
    .onConflictDoNothing();
}
