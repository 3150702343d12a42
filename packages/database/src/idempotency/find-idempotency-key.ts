import type { JobStatus } from "@video-to-json/contract";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { idempotencyKeys } from "../tables/idempotency-keys.ts";
import { jobs } from "../tables/jobs.ts";

type Query = { accountId: string; key: string; maxAgeHours: number };

/**
 * Returns the job and the request of an account's idempotency key, unless the key is older than `maxAgeHours` or the
 * contents of the job were erased (docs/decisions/0001, "Idempotency").
 */
export async function findIdempotencyKey(
  db: Db,
  { accountId, key, maxAgeHours }: Query,
): Promise<{ jobId: string; requestHash: string; jobStatus: JobStatus } | undefined> {
  const [known] = await db
    .select({ jobId: jobs.id, requestHash: idempotencyKeys.requestHash, jobStatus: jobs.status })
    .from(idempotencyKeys)
    .innerJoin(jobs, eq(jobs.id, idempotencyKeys.jobId))
    .where(
      and(
        eq(idempotencyKeys.accountId, accountId),
        eq(idempotencyKeys.key, key),
        isNull(jobs.erasedAt),
        sql`${idempotencyKeys.createdAt} > now() - make_interval(hours => ${maxAgeHours}::int)`,
      ),
    );
  return known;
}
