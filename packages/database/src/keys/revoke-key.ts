import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { apiKeys } from "../tables/api-keys.ts";

/** Revokes a key. It is refused from the next request on. Returns whether it was live. */
export async function revokeKey(db: Db, id: string): Promise<boolean> {
  const revoked = await db
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id });
  return revoked.length > 0;
}
