import { and, asc, inArray, lte, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { idempotencyKeys } from "../tables/idempotency-keys.ts";

/** Deletes idempotency keys that are `maxAgeHours` old or older, oldest first, `limit` at most. Returns how many. */
export async function deleteExpiredIdempotencyKeys(
  db: Db,
  { maxAgeHours, limit }: { maxAgeHours: number; limit: number },
): Promise<number> {
  const { accountId, key, createdAt } = idempotencyKeys;
  const isExpired = lte(createdAt, sql`now() - make_interval(hours => ${maxAgeHours}::int)`);
  const oldest = db
    .select({ accountId, key })
    .from(idempotencyKeys)
    .where(isExpired)
    .orderBy(asc(createdAt))
    .limit(limit);
  // The condition is repeated because a key may have been saved again since the subquery ran.
  const deleted = await db
    .delete(idempotencyKeys)
    .where(and(inArray(sql`(${accountId}, ${key})`, oldest), isExpired))
    .returning({ key });
  return deleted.length;
}
