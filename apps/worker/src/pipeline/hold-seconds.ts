import {
  billedSeconds,
  keyLimitReached,
  type Limits,
  maxTokensOfJob,
  overBudget,
  Problem,
} from "@video-to-json/contract";
import { type ClaimedJob, type Db, retryWhileUnavailable } from "@video-to-json/database";
import { hold } from "@video-to-json/database/money";
import type { WorkerMetrics } from "@video-to-json/runtime/telemetry";
import { JobTaken } from "./stop-reasons.ts";

type HoldSecondsDeps = {
  readonly db: Db;
  readonly limits: Pick<Limits, "minimumBilledSeconds" | "moreMinutes">;
  readonly metrics: Pick<WorkerMetrics, "holds" | "heldSeconds">;
};

/**
 * Holds the price of the job, in seconds, before the worker asks the provider (docs/decisions/0001, "Money"). The price
 * depends on the length of the video or its clip. Returns the seconds. Throws Problem `out_of_minutes` when the balance
 * or the limit of the key does not cover them.
 */
export async function holdSeconds(
  deps: HoldSecondsDeps,
  job: ClaimedJob,
  seen: { durationMs: number },
): Promise<number> {
  const seconds = billedSeconds(seen.durationMs, deps.limits.minimumBilledSeconds);
  const { id: jobId, fence, accountId } = job;
  const tokens = maxTokensOfJob(seconds, job.detail);
  const outcome = await retryWhileUnavailable(() => hold(deps.db, { jobId, fence, accountId, seconds, tokens }));
  if (outcome !== "job_over") deps.metrics.holds.inc({ outcome: outcome === "held" ? "held" : "refused" });
  switch (outcome) {
    case "held":
      deps.metrics.heldSeconds.inc(seconds);
      return seconds;
    case "out_of_minutes":
      throw new Problem("out_of_minutes", { neededSeconds: seconds, moreMinutes: deps.limits.moreMinutes });
    case "out_of_budget":
      throw overBudget();
    case "job_over":
      throw new JobTaken();
    default:
      throw keyLimitReached(outcome, seconds);
  }
}
