import type { JobStatus } from "@video-to-json/contract";
import { and, asc, eq, inArray, lte, sql } from "drizzle-orm";
import type { Db, Tx } from "../connection/open-database.ts";
import { idempotencyKeys, jobs } from "../tables/jobs.ts";

type Query = { accountId: string; key: string; maxAgeHours: number };

/**
 * Returns the job and the request of an account's idempotency key, unless the key is older than `maxAgeHours`. The
 * contents of the job may have been erased (docs/decisions/0001, "Idempotency").
 */
export async function findIdempotencyKey(
  db: Db,
  { accountId, key, maxAgeHours }: Query,
): Promise<{ jobId: string; requestHash: string; jobStatus: JobStatus; erasedAt: Date | null } | undefined> {
  const [known] = await db
    .select({
      jobId: jobs.id,
      requestHash: idempotencyKeys.requestHash,
      jobStatus: jobs.status,
      erasedAt: jobs.erasedAt,
    })
    .from(idempotencyKeys)
    .innerJoin(jobs, eq(jobs.id, idempotencyKeys.jobId))
    .where(
      and(
        eq(idempotencyKeys.accountId, accountId),
        eq(idempotencyKeys.key, key),
        sql`${idempotencyKeys.createdAt} > now() - make_interval(hours => ${maxAgeHours}::int)`,
      ),
    );
  return known;
}

type Entry = { accountId: string; key: string; requestHash: string; jobId: string };

/** Binds an account's idempotency key to a job, and replaces any earlier binding. */
export async function saveIdempotencyKey(tx: Tx, entry: Entry): Promise<void> {
  const { requestHash, jobId } = entry;
  await tx
    .insert(idempotencyKeys)
    .values(entry)
    .onConflictDoUpdate({
      target: [idempotencyKeys.accountId, idempotencyKeys.key],
      set: { requestHash, jobId, createdAt: sql`now()` },
    });
}

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

/** Deletes the idempotency keys of an account. Their texts are the caller's. */
export async function deleteIdempotencyKeys(db: Db, accountId: string): Promise<void> {
  await db.delete(idempotencyKeys).where(eq(idempotencyKeys.accountId, accountId));
}
