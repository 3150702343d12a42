import { sql } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { unconfirmedJobs } from "../tables/unconfirmed-jobs.ts";

type NewJob = {
  id: string;
  accountId: string;
  /** The schema as the caller sent it, character for character. */
  schemaText: string;
  instructions: string | null;
  /** The URL, or null if the video is in storage (`hasUpload`). */
  videoUrl: string | null;
  hasUpload: boolean;
  requestHash: string;
  /** Whether the job ends when all its waiters have left. False if not given. */
  mayBeCancelled?: boolean;
  /** Whether no seconds may be held until the job is confirmed. False if not given. */
  isUnconfirmed?: boolean;
  deadlineSeconds: number;
};

/** Inserts a queued job. Its deadline is `deadlineSeconds` from now, by the database's clock. */
export async function insertJob(
  tx: Tx,
  { deadlineSeconds, mayBeCancelled = false, isUnconfirmed = false, ...job }: NewJob,
): Promise<void> {
  const deadlineAt = sql`now() + make_interval(secs => ${deadlineSeconds}::float8)`;
  // Sent together, in this order.
  await Promise.all([
    tx
      .insert(jobs)
      .values({ ...job, cancellers: mayBeCancelled ? 0 : null, deadlineAt })
      .execute(),
    isUnconfirmed && tx.insert(unconfirmedJobs).values({ jobId: job.id }).execute(),
  ]);
}
