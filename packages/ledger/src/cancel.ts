import type { ErrorInside } from "@video-to-json/contract";
import { type Db, failJob, holds, lockAccountOfJob, withdrawCaller } from "@video-to-json/database";
import { eq } from "drizzle-orm";

/**
 * Takes an open job back for one of its callers: the last of them ends it, unless seconds are on hold for it. From there
 * on its answer is as good as paid for, and must not be lost. Says whether it was ended now. Nothing is charged.
 */
export function cancel(db: Db, { jobId, error }: { jobId: string; error: ErrorInside }): Promise<boolean> {
  return db.transaction(async (tx) => {
    // Holds are set, and jobs joined, under this lock: neither can come between the look and the end.
    await lockAccountOfJob(tx, jobId);
    if (!(await withdrawCaller(tx, jobId)) || (await tx.$count(holds, eq(holds.jobId, jobId))) > 0) return false;
    return failJob(tx, { id: jobId, error });
  });
}
