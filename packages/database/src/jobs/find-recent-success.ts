import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";

type Query = { accountId: string; requestHash: string; maxAgeSeconds: number };

/**
 * Returns the newest job of an identical request of the account that succeeded within the last `maxAgeSeconds`, by the
 * database's clock. Jobs whose contents were erased are left out (docs/decisions/0001, "MCP").
 *
 * @returns the job's id, or undefined if there is no such job.
 */
export async function findRecentSuccess(db: Db, query: Query): Promise<string | undefined> {
  const [job] = await recentSuccess(db, query);
  return job?.id;
}

/** The query of `findRecentSuccess`, for the test of its plan. */
export function recentSuccess(db: Db, { accountId, requestHash, maxAgeSeconds }: Query) {
  // A literal, because PostgreSQL uses the partial index only then.
  const isSuccess = sql`${jobs.status} = 'succeeded'`;
  const isRecent = sql`${jobs.finishedAt} > now() - make_interval(secs => ${maxAgeSeconds}::float8)`;
  return db
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(eq(jobs.accountId, accountId), eq(jobs.requestHash, requestHash), isSuccess, isNull(jobs.erasedAt), isRecent),
    )
    .orderBy(desc(jobs.finishedAt))
    .limit(1);
}
