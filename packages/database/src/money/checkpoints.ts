import { desc, eq } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { ledgerCheckpoints } from "../tables/money.ts";

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
export async function saveCheckpoint(db: Db, accountId: string, checkpoint: Checkpoint): Promise<void> {
  await db
    .insert(ledgerCheckpoints)
    .values({ accountId, ...checkpoint })
    .onConflictDoNothing();
}
