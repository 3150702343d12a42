import { type Db, holds, ledger, lockAccount, lockJob, succeedJob } from "@video-to-json/database";
import { and, eq, gte, sql } from "drizzle-orm";

type Settlement = {
  jobId: string;
  fence: number;
  accountId: string;
  /** The answer as JSON text, stored as it is. */
  dataText: string;
  model: string;
  /** At most what is held. */
  billedSeconds: number;
};

/**
 * Ends a job with its answer and charges for it, in one transaction: both or neither, once, however often it is called
 * (docs/decisions/0001, "Money"). `already` means that the job has succeeded before; `job_over` that it failed or no
 * longer runs under this claim. Throws when no open hold covers the charge: nothing is stored or charged then.
 */
export function settle(
  db: Db,
  { jobId, fence, accountId, dataText, model, billedSeconds }: Settlement,
): Promise<"settled" | "already" | "job_over"> {
  return db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const job = await lockJob(tx, { id: jobId, accountId });
    if (job?.status === "succeeded") return "already";
    if (job?.status !== "running" || job.fence !== fence) return "job_over";
    const captured = await tx
      .update(holds)
      .set({ state: "captured", endedAt: sql`now()` })
      .where(and(eq(holds.jobId, jobId), eq(holds.state, "held"), gte(holds.seconds, billedSeconds)))
      .returning({ jobId: holds.jobId });
    if (captured.length === 0) throw new Error(`no open hold covers ${billedSeconds} s for job ${jobId}`);
    await tx.insert(ledger).values({ accountId, seconds: -billedSeconds, kind: "debit", jobId });
    await succeedJob(tx, { id: jobId, fence, dataText, model, billedSeconds });
    return "settled";
  });
}
