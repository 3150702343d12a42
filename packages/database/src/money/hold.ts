import { lockAccount } from "../accounts/accounts.ts";
import type { Db } from "../connection/open-database.ts";
import { lockJob } from "../jobs/change-job.ts";
import { type KeyLimit, readKeyLimit } from "../keys/key-limit.ts";
import { holds } from "../tables/money.ts";
import { balances } from "./balance.ts";
import { hasBudget } from "./cost.ts";

type Hold = {
  jobId: string;
  fence: number;
  accountId: string;
  seconds: number;
  /** What the job may cost of the provider's tokens, if its account has no paid grant. */
  tokens?: number;
};

/**
 * Reserves seconds for a running job before the provider is paid (docs/decisions/0001, "Money"). A job has one hold;
 * a later claim of the job sets the hold's seconds anew.
 *
 * @returns `out_of_minutes` or `out_of_budget`, and changes nothing, if fewer seconds or tokens are available; the limit of the key that made the job,
 *   and changes nothing, if the seconds would pass it; `job_over` if the job no longer runs under this claim.
 * @example
 * if ((await hold(db, { jobId, fence, accountId, seconds: 61, tokens: 9000 })) !== "held") return refuse();
 */
export function hold(
  db: Db,
  { jobId, fence, accountId, seconds, tokens = 0 }: Hold,
): Promise<"held" | "out_of_minutes" | "out_of_budget" | "job_over" | KeyLimit> {
  return db.transaction(async (tx) => {
    // The lock on the account's row keeps other holds from coming between the sum and the insert.
    await lockAccount(tx, accountId);
    const job = await lockJob(tx, { id: jobId, accountId });
    if (job?.status !== "running" || job.fence !== fence) return "job_over";
    const { available } = await balances(tx, accountId, jobId);
    if (available < seconds) return "out_of_minutes";
    if (!(await hasBudget(tx, { accountId, jobId, tokens }))) return "out_of_budget";
    const limit =
      job.limitedKeyId && (await readKeyLimit(tx, { accountId, keyId: job.limitedKeyId, exceptJobId: jobId }));
    if (limit && limit.usedSeconds + seconds > limit.limitSeconds) return limit;
    await tx
      .insert(holds)
      .values({ jobId, accountId, seconds })
      .onConflictDoUpdate({ target: holds.jobId, set: { seconds } });
    return "held";
  });
}
