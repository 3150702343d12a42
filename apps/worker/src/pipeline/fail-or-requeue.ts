import { overdueProblem, Problem } from "@video-to-json/contract";
import {
  type ClaimedJob,
  type Db,
  findJobStates,
  type JobEffort,
  retryWhileUnavailable,
} from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/database/money";
import { asDiskFullProblem } from "@video-to-json/media";
import { PermitLost, TicketLost } from "@video-to-json/queue";
import type { WorkerMetrics } from "@video-to-json/runtime/telemetry";
import { ObjectMissing } from "@video-to-json/storage";
import { DeadlinePassed, JobTaken } from "./stop-reasons.ts";

type FailOrRequeueDeps = { readonly db: Db; readonly metrics: Pick<WorkerMetrics, "jobsEnded"> };

/**
 * The outcome of a run. `succeeded`, `failed`: the job has ended so, by this run or by another one. `taken`: the job belongs
 * to another claim. After the last two, the job runs again. `taken` and `run failed` add to the failed claims of the job.
 */
export type JobOutcome = "succeeded" | "failed" | "taken" | "handed back" | "run failed";

/** Fails a job without charge after a step threw, unless another run may still succeed. */
export async function failOrRequeue(
  deps: FailOrRequeueDeps,
  job: ClaimedJob,
  { error, effort, signal }: { error: unknown; effort: JobEffort; signal: AbortSignal },
): Promise<JobOutcome> {
  if (error instanceof JobTaken) return endOf(deps, job);
  const problem = problemOf(error, signal);
  if (signal.reason instanceof TicketLost) return "taken";
  if (!problem) return signal.aborted || error instanceof PermitLost ? "handed back" : "run failed";
  const { id: jobId, fence } = job;
  const failure = {
    jobId,
    fence,
    error: problem.toInside(),
    effort,
    ...(problem.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: Math.ceil(problem.retryAfterSeconds) }),
  };
  const failed = await retryWhileUnavailable(() => failAndRelease(deps.db, failure));
  if (!failed) return endOf(deps, job);
  deps.metrics.jobsEnded.inc({ outcome: problem.code, by: "worker" });
  return "failed";
}

/** How a job ended without this run. `taken` if it has not ended. */
async function endOf({ db }: FailOrRequeueDeps, { id }: ClaimedJob): Promise<JobOutcome> {
  const [known] = await retryWhileUnavailable(() => findJobStates(db, [id]));
  return known?.status === "succeeded" || known?.status === "failed" ? known.status : "taken";
}

/** Returns undefined if the error means that the job has to run again. */
function problemOf(error: unknown, signal: AbortSignal): Problem | undefined {
  if (signal.aborted) {
    return signal.reason instanceof DeadlinePassed ? overdueProblem(true) : undefined;
  }
  if (error instanceof Problem) return error;
  if (error instanceof ObjectMissing) {
    return new Problem("internal_error", { reason: "The service lost the upload." });
  }
  // The disk would be as full at the next run.
  return asDiskFullProblem(error);
}
