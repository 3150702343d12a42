import { isUuid } from "@video-to-json/contract";
import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";

/** A job's row without its evidence, which is long. Schema, data and error are JSON texts as they were stored. */
export type JobRow = Omit<typeof jobs.$inferSelect, "evidenceText">;

const { evidenceText, ...columns } = getTableColumns(jobs);
/** The columns of a job's row. */
export const jobColumns = columns;

/**
 * Returns a job of an account, with the milliseconds to its deadline by the database's clock. Returns undefined for a
 * job of another account, for one whose contents were erased, and for any text that is not a job's id.
 */
export async function findJob(
  db: Db,
  job: { id: string; accountId: string },
): Promise<(JobRow & { msToDeadline: number }) | undefined> {
  if (!isUuid(job.id)) return undefined;
  const [row] = await db
    .select({ ...jobColumns, msToDeadline })
    .from(jobs)
    .where(and(eq(jobs.id, job.id), eq(jobs.accountId, job.accountId), isNull(jobs.erasedAt)));
  return row;
}

const msToDeadline = sql<number>`(extract(epoch from ${jobs.deadlineAt} - clock_timestamp()) * 1000)::float8`;

/** Returns a job of any account. Only for the operator. */
export async function findAnyJob(db: Db, id: string): Promise<JobRow | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await db.select(jobColumns).from(jobs).where(eq(jobs.id, id));
  return row;
}
