import type { ErrorInside } from "@video-to-json/contract";
import { type Db, failJob, findAnyJob, holds, lockAccountOfJob } from "@video-to-json/database";
import { eq } from "drizzle-orm";

/**
 * Ends an open job that its only caller no longer wants, unless seconds are on hold for it: from there on its answer is
 * as good as paid for, and must not be lost. Says whether it was ended now. Nothing is charged.
 */
export function cancel(db: Db, { jobId, error }: { jobId: string; error: ErrorInside }): Promise<boolean> {
  return db.transaction(async (tx) => {
    // Holds are set, and jobs shared, under this lock: neither can come between the look and the end.
    await lockAccountOfJob(tx, jobId);
    const job = await findAnyJob(tx, jobId);
    if (!job || job.shared || (await tx.$count(holds, eq(holds.jobId, jobId))) > 0) return false;
    return failJob(tx, { id: jobId, error });
  });
}
