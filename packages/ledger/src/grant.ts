import { Problem } from "@video-to-json/contract";
import { type Db, ledger, lockAccount, type Tx } from "@video-to-json/database";
import { and, eq } from "drizzle-orm";

type Grant = {
  accountId: string;
  seconds: number;
  /** What it is for: an invoice, a ticket. The same reference is never granted twice. */
  reference: string;
};

const mostSeconds = 2 ** 31 - 1;

/**
 * Adds seconds to an account and says whether it did so now: a repeated call with the same reference does nothing.
 * Throws not_found for an unknown account, and invalid_request for seconds that are no positive whole number, an empty
 * reference, or one that stands for another grant.
 */
export async function grant(db: Db, entry: Grant): Promise<boolean> {
  const { accountId, seconds, reference } = entry;
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > mostSeconds) {
    throw new Problem("invalid_request", { reason: `Grant a whole number of seconds, from 1 to ${mostSeconds}.` });
  }
  if (reference.trim() === "")
    throw new Problem("invalid_request", { reason: "Give a reference that says what the grant is for." });
  return db.transaction(async (tx) => {
    if (!(await lockAccount(tx, accountId))) throw new Problem("not_found", { reason: "There is no such account." });
    const added = await tx
      .insert(ledger)
      .values({ accountId, seconds, kind: "grant", reference })
      .onConflictDoNothing()
      .returning({ id: ledger.id });
    if (added.length > 0) return true;
    await requireSame(tx, entry);
    return false;
  });
}

async function requireSame(tx: Tx, { accountId, seconds, reference }: Grant): Promise<void> {
  const [earlier] = await tx
    .select({ accountId: ledger.accountId, seconds: ledger.seconds })
    .from(ledger)
    .where(and(eq(ledger.kind, "grant"), eq(ledger.reference, reference)));
  if (earlier?.accountId !== accountId || earlier.seconds !== seconds) {
    throw new Problem("invalid_request", { reason: "This reference belongs to another grant. Use a new reference." });
  }
}
