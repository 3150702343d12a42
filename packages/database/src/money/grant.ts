import { Problem } from "@video-to-json/contract";
import { and, eq } from "drizzle-orm";
import { lockAccount } from "../accounts/accounts.ts";
import type { Db, Tx } from "../connection/open-database.ts";
import { ledger } from "../tables/money.ts";

type Grant = {
  accountId: string;
  seconds: number;
  /** The purpose of the grant, such as an invoice number. One reference makes one grant. */
  reference: string;
};

const maxSeconds = 2 ** 31 - 1;

/**
 * Adds seconds to an account. A repeated call with the same reference does nothing.
 *
 * @returns whether this call added the seconds.
 * @throws Problem `not_found` for an unknown account; `invalid_request` if the seconds are not a positive whole number,
 *   or if the reference is empty or belongs to another grant.
 * @example
 * await grant(db, { accountId, seconds: 3600, reference: "invoice 2026-0042" });
 */
export async function grant(db: Db, entry: Grant): Promise<boolean> {
  const { accountId, seconds, reference } = entry;
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > maxSeconds) {
    throw new Problem("invalid_request", { reason: `Grant a whole number of seconds, from 1 to ${maxSeconds}.` });
  }
  if (reference.trim() === "")
    throw new Problem("invalid_request", { reason: "Give a reference that says what the grant is for." });
  return db.transaction(async (tx) => {
    if (!(await lockAccount(tx, accountId)))
      throw new Problem("not_found", { reason: "There is no such account. Check its id or address." });
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
