import type { ErrorInside } from "@video-to-json/contract";
import { type Db, failJob, holds, lockAccountOfJob } from "@video-to-json/database";
import { and, eq, sql } from "drizzle-orm";

type Ending = {
  jobId: string;
  /** Given by a worker: ends the job only if it still runs under this claim. */
  fence?: number;
  error: ErrorInside;
  /** When trying again may help. */
  retryAfterSeconds?: number;
};

/**
 * Ends an open job with an error and gives back what it held, in one transaction; nothing is charged (specification,
 * "States and transitions"). Says whether the job ended now: a repeated call does nothing.
 */
export function failAndRelease(db: Db, { jobId, ...ending }: Ending): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockAccountOfJob(tx, jobId);
    if (!(await failJob(tx, { id: jobId, ...ending }))) return false;
    await tx
      .update(holds)
      .set({ state: "released", endedAt: sql`now()` })
      .where(and(eq(holds.jobId, jobId), eq(holds.state, "held")));
    return true;
  });
}
