import { overdueProblem, Problem } from "@video-to-json/contract";
import { type ClaimedJob, type Db, findJobStates, retryWhileUnavailable } from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/ledger";
import { asDiskFullProblem } from "@video-to-json/media";
import { ObjectMissing } from "@video-to-json/storage";
import type { Metrics } from "@video-to-json/telemetry";
import { DeadlinePassed, JobTaken } from "./stop-reasons.ts";

type Deps = { readonly db: Db; readonly metrics: Pick<Metrics, "jobsEnded"> };

/** What became of a job that a step could not finish: ended for good, another claim's by now, or to be run again. */
export type JobEnd = "over" | "taken" | "given back";

/** Ends a job that a step could not finish, without charge, unless another run may still do it. */
export async function endJob(deps: Deps, job: ClaimedJob, error: unknown, signal: AbortSignal): Promise<JobEnd> {
  if (error instanceof JobTaken) return overOrTaken(deps, job);
  const problem = problemOf(error, signal);
  if (!problem) return "given back";
  const { id: jobId, fence } = job;
  const ending = {
    jobId,
    fence,
    error: problem.toInside(),
    ...(problem.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: Math.ceil(problem.retryAfterSeconds) }),
  };
  const ended = await retryWhileUnavailable(() => failAndRelease(deps.db, ending));
  if (!ended) return overOrTaken(deps, job);
  deps.metrics.jobsEnded.inc({ outcome: problem.code });
  return "over";
}

async function overOrTaken({ db }: Deps, { id }: ClaimedJob): Promise<JobEnd> {
  const [known] = await retryWhileUnavailable(() => findJobStates(db, [id]));
  return known?.status === "succeeded" || known?.status === "failed" ? "over" : "taken";
}

function problemOf(error: unknown, signal: AbortSignal): Problem | undefined {
  if (signal.aborted) {
    return signal.reason instanceof DeadlinePassed ? overdueProblem(true) : undefined;
  }
  if (error instanceof Problem) return error;
  if (error instanceof ObjectMissing) {
    return new Problem("internal_error", { reason: "The service lost the upload." });
  }
  // Tried again here it would find no more room.
  return asDiskFullProblem(error);
}
