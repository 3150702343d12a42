import { and, eq, isNull } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { apiKeys } from "../tables/api-keys.ts";

/** Returns whether a key exists and is not revoked. */
export async function isKeyLive(db: Db, id: string): Promise<boolean> {
  const [key] = await db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)));
  return key !== undefined;
}
