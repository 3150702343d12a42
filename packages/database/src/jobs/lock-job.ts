import type { JobStatus } from "@video-to-json/contract";
import { and, eq, sql } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";

type Job = {
  status: JobStatus;
  fence: number;
  /** The key that made the job, if that key has a monthly limit. */
  limitedKeyId: string | null;
};

const limitedKeyId = sql<string | null>`(
  select api_keys.id from api_keys where api_keys.id = jobs.key_id and monthly_minutes is not null)`;

/**
 * Locks a job's row until the transaction ends and returns its state. The caller has already locked the account's row.
 */
export async function lockJob(tx: Tx, { id, accountId }: { id: string; accountId: string }): Promise<Job | undefined> {
  const [job] = await tx
    .select({ status: jobs.status, fence: jobs.fence, limitedKeyId })
    .from(jobs)
    .where(and(eq(jobs.id, id), eq(jobs.accountId, accountId)))
    .for("no key update");
  return job;
}
