import type { JobProgress } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";
import type { RunningSpan, Tracing } from "@video-to-json/runtime/telemetry";
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
