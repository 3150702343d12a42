import { and, eq, gte, sql } from "drizzle-orm";
import { lockAccount } from "../accounts/accounts.ts";
import type { Db } from "../connection/open-database.ts";
import { type JobEffort, lockJob, succeedJob } from "../jobs/change-job.ts";
import { holds, ledger } from "../tables/money.ts";
import { addCost } from "./cost.ts";

type Settlement = {
  jobId: string;
  fence: number;
  accountId: string;
  /** The answer as JSON text. It is stored unchanged. */
  dataText: string;
  model: string;
  /** At most the seconds of the hold. */
  billedSeconds: number;
  /** JSON text that is stored with the answer; undefined if the job was not asked for it. */
  evidenceText?: string | undefined;
  effort?: JobEffort | undefined;
};

/**
 * Stores a job's answer, captures its hold and writes the debit, in one transaction (docs/decisions/0001, "Money"). A
 * repeated call charges nothing.
 *
 * @returns `already` if the job has succeeded before; `job_over` if it failed or no longer runs under this claim.
 * @throws if no open hold covers the charge. Nothing is stored or charged then.
 * @example
 * await hold(db, { jobId, fence, accountId, seconds: 61 });
 * await settle(db, { jobId, fence, accountId, dataText: '{"goals":[]}', model, billedSeconds: 61 });
 */
export function settle(
  db: Db,
  { jobId, fence, accountId, dataText, model, billedSeconds, evidenceText, effort }: Settlement,
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
    await addCost(tx, accountId, effort);
    await tx.insert(ledger).values({ accountId, seconds: -billedSeconds, kind: "debit", jobId });
    await succeedJob(tx, { id: jobId, fence, dataText, model, billedSeconds, evidenceText, effort });
    return "settled";
  });
}
