import { and, asc, inArray, isNotNull, isNull, lte, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { erasedContents } from "./erased-contents.ts";

/**
 * Erases the contents of the jobs that finished at least `minAgeHours` ago, oldest first, `limit` at most: schema,
 * instructions, answer, and the error except its code. Ids, times and billed seconds stay. Skips jobs that another
 * transaction has locked. Returns how many.
 */
export async function eraseOldJobs(
  db: Db,
  { minAgeHours, limit }: { minAgeHours: number; limit: number },
): Promise<number> {
  const isOld = lte(jobs.finishedAt, sql`now() - make_interval(hours => ${minAgeHours}::int)`);
  const oldest = db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(isNotNull(jobs.finishedAt), isNull(jobs.erasedAt), isOld))
    .orderBy(asc(jobs.finishedAt))
    .limit(limit)
    .for("no key update", { skipLocked: true });
  const erased = await db.update(jobs).set(erasedContents).where(inArray(jobs.id, oldest)).returning({ id: jobs.id });
  return erased.length;
}
