import { and, eq, isNotNull, isNull, lt, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { queueJobs } from "../tables/fair-share.ts";

/** Returns the tickets under which jobs run. */
export async function findTickets(db: Db): Promise<string[]> {
  const running = await db.select({ ticket: queueJobs.ticket }).from(queueJobs).where(isNotNull(queueJobs.ticket));
  return running.flatMap(({ ticket }) => ticket ?? []);
}

/** Returns the ticket under which a job runs; undefined if it does not run. */
export async function findTicket(db: Db, jobId: string): Promise<string | undefined> {
  const [row] = await db.select({ ticket: queueJobs.ticket }).from(queueJobs).where(eq(queueJobs.jobId, jobId));
  return row?.ticket ?? undefined;
}

/** Returns how many jobs have been waiting for more than `minAgeMs` milliseconds. */
export function countWaitingJobs(db: Db, { minAgeMs }: { minAgeMs: number }): Promise<number> {
  const since = sql`now() - make_interval(secs => ${minAgeMs / 1000}::float8)`;
  return db.$count(queueJobs, and(isNull(queueJobs.ticket), lt(queueJobs.createdAt, since)));
}
