import { isUuid } from "@video-to-json/contract";
import { and, eq, getTableColumns, inArray, isNull, lte, or, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { newestJobIds } from "./newest-job-ids.ts";

/** A job's whole row. Schema, data and error are JSON texts as they were stored. */
export type JobRow = typeof jobs.$inferSelect;

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
    .select({ ...getTableColumns(jobs), msToDeadline })
    .from(jobs)
    .where(and(eq(jobs.id, job.id), eq(jobs.accountId, job.accountId), isNull(jobs.erasedAt)));
  return row;
}

const msToDeadline = sql<number>`(extract(epoch from ${jobs.deadlineAt} - clock_timestamp()) * 1000)::float8`;

/** Returns a job of any account. Only for the operator. */
export async function findAnyJob(db: Db, id: string): Promise<JobRow | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await db.select().from(jobs).where(eq(jobs.id, id));
  return row;
}

/**
 * Returns the newest jobs of an account, newest first: `limit` at most, and fewer if their texts together exceed
 * `maxBytes`. The newest job is always included. Jobs whose contents were erased are left out.
 */
export function listJobs(
  db: Db,
  { accountId, limit, maxBytes }: { accountId: string; limit: number; maxBytes: number },
): Promise<JobRow[]> {
  const length = sql`octet_length(${jobs.schemaText}::text) + coalesce(octet_length(${jobs.instructions}::text), 0)
    + coalesce(octet_length(${jobs.dataText}::text), 0)`;
  const newest = db
    .select({ id: jobs.id, createdAt: jobs.createdAt, length: length.as("length") })
    .from(jobs)
    .where(inArray(jobs.id, sql`(${newestJobIds({ accountId, limit })})`))
    .as("newest");
  const order = sql`over (order by ${newest.createdAt} desc, ${newest.id} desc)`;
  const counted = db
    .select({
      id: newest.id,
      place: sql<number>`row_number() ${order}`.as("place"),
      bytes: sql<number>`sum(${newest.length}) ${order}`.as("bytes"),
    })
    .from(newest)
    .as("counted");
  return db
    .select(getTableColumns(jobs))
    .from(jobs)
    .innerJoin(counted, eq(counted.id, jobs.id))
    .where(or(eq(counted.place, 1), lte(counted.bytes, maxBytes)))
    .orderBy(counted.place);
}
