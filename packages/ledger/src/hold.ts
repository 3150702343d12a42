import { type Db, holds, lockAccount, lockJob } from "@video-to-json/database";
import { balances } from "./balance.ts";

type Hold = { jobId: string; fence: number; accountId: string; seconds: number };

/**
 * Sets seconds aside for a running job before any model time is spent (docs/decisions/0001, "Money"). A job has one
 * hold: a second run of it finds its hold, and changes it if the seconds differ. `out_of_minutes` leaves things as they
 * were; `job_over` means that the job no longer runs under this claim.
 */
export function hold(
  db: Db,
  { jobId, fence, accountId, seconds }: Hold,
): Promise<"held" | "out_of_minutes" | "job_over"> {
  return db.transaction(async (tx) => {
    // Under the account's row lock no other hold of it can come between the sum and the insert.
    await lockAccount(tx, accountId);
    const job = await lockJob(tx, { id: jobId, accountId });
    if (job?.status !== "running" || job.fence !== fence) return "job_over";
    const { available } = await balances(tx, accountId, jobId);
    if (available < seconds) return "out_of_minutes";
    await tx
      .insert(holds)
      .values({ jobId, accountId, seconds })
      .onConflictDoUpdate({ target: holds.jobId, set: { seconds } });
    return "held";
  });
}
