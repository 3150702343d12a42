import type { ConformingAnswer } from "@video-to-json/analysis";
import { type ClaimedJob, type Db, type JobEffort, retryWhileUnavailable } from "@video-to-json/database";
import { settle } from "@video-to-json/database/money";
import type { WorkerMetrics } from "@video-to-json/runtime/telemetry";
import { JobTaken } from "./stop-reasons.ts";

type SettleAnswerDeps = {
  readonly db: Db;
  readonly metrics: Pick<WorkerMetrics, "jobsEnded" | "debits" | "billedSeconds">;
};

/** Stores the answer with its evidence and writes the debit in one transaction, at most once per job (docs/decisions/0001, "Money"). */
export async function settleAnswer(
  deps: SettleAnswerDeps,
  job: ClaimedJob,
  answer: ConformingAnswer,
  { billedSeconds, effort }: { billedSeconds: number; effort: JobEffort },
): Promise<void> {
  const { id: jobId, fence, accountId } = job;
  const { text: dataText, model, evidence, secondLook } = answer;
  const evidenceText = evidence && JSON.stringify(evidence);
  const settlement = {
    jobId,
    fence,
    accountId,
    dataText,
    model,
    evidenceText,
    billedSeconds,
    effort: { ...effort, secondLook },
  };
  const outcome = await retryWhileUnavailable(() => settle(deps.db, settlement));
  switch (outcome) {
    case "settled":
      deps.metrics.jobsEnded.inc({ outcome: "succeeded", by: "worker" });
      deps.metrics.debits.inc();
      deps.metrics.billedSeconds.inc(billedSeconds);
      return;
    case "already":
      return;
    case "job_over":
      throw new JobTaken();
    default:
      return outcome satisfies never;
  }
}
