import { overdueProblem, Problem } from "@video-to-json/contract";
import { type ClaimedJob, type Db, outlast } from "@video-to-json/database";
import { endUncharged } from "@video-to-json/ledger";
import { ObjectMissing } from "@video-to-json/storage";
import type { Metrics } from "@video-to-json/telemetry";
import { DeadlinePassed, JobTaken } from "./stop-reasons.ts";

type Deps = { readonly db: Db; readonly metrics: Pick<Metrics, "jobsEnded"> };

/**
 * Ends a job that a step could not finish, without charge, and says whether it is over. Not over is what another run
 * may still do: the job was taken away from this worker, or something of ours broke.
 */
export async function endJob(deps: Deps, job: ClaimedJob, error: unknown, signal: AbortSignal): Promise<boolean> {
  if (error instanceof JobTaken) return true;
  const problem = problemOf(error, signal);
  if (!problem) return false;
  const { id: jobId, fence } = job;
  const ending = {
    jobId,
    fence,
    error: problem.toInside(),
    ...(problem.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: Math.ceil(problem.retryAfterSeconds) }),
  };
  const ended = await outlast(() => endUncharged(deps.db, ending));
  if (ended) deps.metrics.jobsEnded.inc({ outcome: problem.code });
  return true;
}

function problemOf(error: unknown, signal: AbortSignal): Problem | undefined {
  if (signal.aborted) {
    return signal.reason instanceof DeadlinePassed ? overdueProblem(true) : undefined;
  }
  if (error instanceof Problem) return error;
  if (error instanceof ObjectMissing) {
    return new Problem("internal_error", "The upload was lost on our side. Nothing was charged; send it again.");
  }
  return undefined;
}
