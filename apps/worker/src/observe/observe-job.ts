import type { JobProgress } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";
import type { TicketContext } from "@video-to-json/queue";
import type { Logger, RunningSpan, Tracing, WorkerMetrics } from "@video-to-json/runtime/telemetry";
import type { Run } from "../run-job.ts";

/**
 * Runs a job within the trace of the request that made it, with a span for each stage. The job itself carries the
 * trace, because the ticket of the queue may be another request's.
 */
export async function traceJob(
  { tracing }: { readonly tracing: Tracing },
  job: Pick<ClaimedJob, "id" | "fence" | "traceParent">,
  run: Run,
  work: (run: Run) => Promise<void>,
): Promise<void> {
  if (!tracing.isOn) return work(run);
  const attributes = { job_id: job.id, fence: job.fence };
  const span = tracing.begin("job", { kind: "consumer", parent: job.traceParent, attributes });
  let stage: { name: JobProgress["stage"]; span: RunningSpan } | undefined;
  const progress = (now: JobProgress) => {
    if (stage?.name !== now.stage) {
      stage?.span.end();
      stage = { name: now.stage, span: span.run(() => tracing.begin(now.stage, { attributes: { job_id: job.id } })) };
    }
    run.progress(now);
  };
  let failure: string | undefined;
  try {
    await span.run(() => work({ ...run, progress }));
  } catch (error) {
    failure = "the job runs again";
    throw error;
  } finally {
    stage?.span.end();
    span.end({}, failure);
  }
}

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
