import { and, desc, eq, gt, lt, lte, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { ledger, ledgerCheckpoints } from "../tables/money.ts";

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
