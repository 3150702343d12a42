import type { JobStatus } from "@video-to-json/contract";
import { and, eq } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";

/**
 * Locks a job's row until the transaction ends and returns its state. The caller has locked the account's row before.
 */
export async function lockJob(
  tx: Tx,
  { id, accountId }: { id: string; accountId: string },
): Promise<{ status: JobStatus; fence: number } | undefined> {
  const [job] = await tx
    .select({ status: jobs.status, fence: jobs.fence })
    .from(jobs)
    .where(and(eq(jobs.id, id), eq(jobs.accountId, accountId)))
    .for("no key update");
  return job;
}
