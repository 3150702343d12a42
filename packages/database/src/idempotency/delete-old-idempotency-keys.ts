import { and, asc, inArray, lte, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { idempotencyKeys } from "../tables/idempotency-keys.ts";

/** Deletes Idempotency-Keys that are forgotten already, oldest first, `limit` at most. Gives how many. */
export async function deleteOldIdempotencyKeys(
  db: Db,
  { olderThanHours, limit }: { olderThanHours: number; limit: number },
): Promise<number> {
  const { accountId, key, createdAt } = idempotencyKeys;
  const isOld = lte(createdAt, sql`now() - make_interval(hours => ${olderThanHours}::int)`);
  const oldest = db.select({ accountId, key }).from(idempotencyKeys).where(isOld).orderBy(asc(createdAt)).limit(limit);
  // The age once more: a key may have been saved again since the list was made.
  const deleted = await db
    .delete(idempotencyKeys)
    .where(and(inArray(sql`(${accountId}, ${key})`, oldest), isOld))
    .returning({ key });
  return deleted.length;
}
