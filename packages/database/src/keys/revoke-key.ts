import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { apiKeys } from "../tables/api-keys.ts";

/**
 * Revokes a key of an account. The next request with it is refused. Returns whether the key was live: false for a key
 * of another account.
 */
export async function revokeKey(db: Db, key: { id: string; accountId: string }): Promise<boolean> {
  const revoked = await db
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiKeys.id, key.id), eq(apiKeys.accountId, key.accountId), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id });
  return revoked.length > 0;
}
