import { and, eq, isNull, sql } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { accounts } from "../tables/accounts.ts";
import { apiKeys } from "../tables/api-keys.ts";
import { dashboardUsers } from "../tables/sign-in.ts";

/**
 * Marks an account as deleted, forgets its address and the names of its keys, revokes its keys, and ends its sessions.
 * Afterwards no query finds the account, and its address is free for a new one. Returns whether the account existed.
 */
export async function markAccountDeleted(tx: Tx, id: string): Promise<boolean> {
  const marked = await tx
    .update(accounts)
    // Not an address, because it has no @.
    .set({ deletedAt: sql`now()`, email: sql`'deleted:' || id` })
    .where(and(eq(accounts.id, id), isNull(accounts.deletedAt)))
    .returning({ id: accounts.id });
  await tx
    .update(apiKeys)
    .set({ name: "", revokedAt: sql`coalesce(revoked_at, now())` })
    .where(eq(apiKeys.accountId, id));
  await tx.delete(dashboardUsers).where(eq(dashboardUsers.accountId, id));
  return marked.length > 0;
}
