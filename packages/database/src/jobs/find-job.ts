import { and, desc, eq, getTableColumns } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { isUuid } from "../uuid.ts";

/** A job's whole row; schema, data and error are JSON texts as they were written. */
export type JobRow = typeof jobs.$inferSelect;

/** A job of an account; undefined for another account's and for any text that is no job's id. */
export async function findJob(db: Db, job: { id: string; accountId: string }): Promise<JobRow | undefined> {
  if (!isUuid(job.id)) return undefined;
  const [row] = await db
    .select()
    .from(jobs)
    .where(and(eq(jobs.id, job.id), eq(jobs.accountId, job.accountId)));
  return row;
}

/** A job, whosever it is: for the operator. */
export async function findAnyJob(db: Db, id: string): Promise<JobRow | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await db.select().from(jobs).where(eq(jobs.id, id));
  return row;
}

/** The newest jobs of an account, newest first. */
export function listJobs(db: Db, { accountId, limit }: { accountId: string; limit: number }): Promise<JobRow[]> {
  return db
    .select(getTableColumns(jobs))
    .from(jobs)
    .where(eq(jobs.accountId, accountId))
    .orderBy(desc(jobs.createdAt), desc(jobs.id))
    .limit(limit);
}
