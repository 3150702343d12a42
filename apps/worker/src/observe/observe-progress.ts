import type { JobProgress } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";
import type { TicketContext } from "@video-to-json/queue";
import type { Logger, WorkerMetrics } from "@video-to-json/runtime/telemetry";
import type { Run } from "../run-job.ts";

type ObserveProgressDeps = { readonly log: Pick<Logger, "info">; readonly metrics: Pick<WorkerMetrics, "stages"> };

/**
 * Returns a function that runs a job, publishes and logs its progress, and measures its stages. A stage lasts from its
 * own event to the next one.
 */
export function observeProgress(
  { log, metrics }: ObserveProgressDeps,
  { id: jobId, requestId }: Pick<ClaimedJob, "id" | "requestId">,
  context: TicketContext,
): Run {
  let last: { stage: JobProgress["stage"]; at: number } | undefined;
  return {
    signal: context.signal,
    progress: (progress) => {
      const at = performance.now();
      if (last && last.stage !== progress.stage) {
        metrics.stages.observe({ stage: last.stage }, (at - last.at) / 1000);
      }
      if (last?.stage !== progress.stage) last = { stage: progress.stage, at };
      log.info({ jobId, requestId: requestId ?? undefined, ...progress }, "progress");
      context.progress(jobId, progress);
    },
  };
}
