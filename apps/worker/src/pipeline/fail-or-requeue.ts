import { type ErrorInside, overdueProblem, Problem } from "@video-to-json/contract";
import {
  type ClaimedJob,
  type Db,
  findJobStates,
  handBackJob,
  type JobEffort,
  listRecentJobs,
  retryWhileUnavailable,
} from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/database/money";
import { asDiskFullProblem } from "@video-to-json/media";
import { PermitLost, TicketLost } from "@video-to-json/queue";
import type { Logger, WorkerMetrics } from "@video-to-json/runtime/telemetry";
import type { WorkerHealth } from "../health.ts";
import { DeadlinePassed, JobTaken } from "./stop-reasons.ts";

type FailOrRequeueDeps = {
  readonly db: Db;
  readonly health: Pick<WorkerHealth, "isAtFault" | "hasOther">;
  readonly metrics: Pick<WorkerMetrics, "jobsEnded">;
};

/**
 * The outcome of a run. `succeeded`, `failed`: this run has ended the job. `had ended`: another process did. `taken`: the job
 * belongs to another claim. After the last two, the job runs again. `taken` and `run failed` add to the failed claims of the
 * job.
 */
export type JobOutcome = "succeeded" | "failed" | "had ended" | "taken" | "handed back" | "run failed";

/** Fails a job without charge after a step threw, unless another run may still succeed. */
export async function failOrRequeue(
  deps: FailOrRequeueDeps,
  job: ClaimedJob,
  { error, effort, signal }: { error: unknown; effort: JobEffort; signal: AbortSignal },
): Promise<Exclude<JobOutcome, "succeeded">> {
  if (error instanceof JobTaken) return endOf(deps, job);
  const problem = problemOf(error, signal);
  if (signal.reason instanceof TicketLost) return "taken";
  if (!problem && (signal.aborted || error instanceof PermitLost)) return "handed back";
  // Programs of this machine judge videos. A worker whose programs misjudge a good one has no say.
  const mayBeOurs =
    !problem || (["provider_unavailable", "media_unreadable"].includes(problem.code) && !signal.aborted);
  if (mayBeOurs && (await deps.health.isAtFault(job, error))) return "handed back";
  // The disk of another worker may be larger.
  const mayFitElsewhere = asDiskFullProblem(error) && job.failedClaims === 0 && (await deps.health.hasOther());
  if (!problem || mayFitElsewhere) return "run failed";
  const { id: jobId, fence } = job;
  const failure = {
    jobId,
    fence,
    error: effort.attempts > 0 ? await tellable(deps, job, problem) : problem.toInside(),
    effort,
    ...(problem.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: Math.ceil(problem.retryAfterSeconds) }),
  };
  const failed = await retryWhileUnavailable(() => failAndRelease(deps.db, failure));
  if (!failed) return endOf(deps, job);
  deps.metrics.jobsEnded.inc({ outcome: problem.code, by: "worker" });
  return "failed";
}

/** After so many failed extractions in an hour, an account no longer learns what each answer breaks. */
const maxExplained = 5;

/**
 * Returns the error of a failed job. The details of a failed extraction say what an answer is not, and a failed job is
 * free: without a limit, a schema with many patterns reads answers bit by bit.
 */
async function tellable({ db }: FailOrRequeueDeps, { accountId }: ClaimedJob, problem: Problem): Promise<ErrorInside> {
  const error = problem.toInside();
  if (problem.code !== "extraction_failed" || !error.details) return error;
  const recent = await retryWhileUnavailable(() => listRecentJobs(db, accountId));
  if (recent.filter(({ code }) => code === "extraction_failed").length < maxExplained) return error;
  const detail = `: does not conform. More than ${maxExplained} extractions of this account failed within the last hour, so the details are left out; check the schema with \`check-schema\` or in the playground`;
  return { ...error, details: [detail] };
}

/** Returns why this run cannot end its job. */
async function endOf({ db }: FailOrRequeueDeps, { id }: ClaimedJob): Promise<"had ended" | "taken"> {
  const [known] = await retryWhileUnavailable(() => findJobStates(db, [id]));
  return known?.status === "succeeded" || known?.status === "failed" ? "had ended" : "taken";
}

/** Returns undefined if the error means that the job has to run again. */
function problemOf(error: unknown, signal: AbortSignal): Problem | undefined {
  if (signal.aborted) {
    return signal.reason instanceof DeadlinePassed ? overdueProblem(true) : undefined;
  }
  if (error instanceof Problem) return error;
  return asDiskFullProblem(error);
}

type HandBackDeps = { readonly db: Db; readonly log: Pick<Logger, "warn"> };

/**
 * Returns a function that hands back the claim of a run. It also runs as soon as `signal` aborts, because the rest of
 * the run may outlast this process. Later calls wait for the first one. Never rejects. The claim of a job that another
 * claim has taken stays: a job that holds up each of its workers must end (docs/decisions/0001, "Nothing that a stranger
 * wrote runs unbounded").
 */
export function openHandBack({ db, log }: HandBackDeps, job: ClaimedJob, signal: AbortSignal): () => Promise<void> {
  let handedBack: Promise<void> | undefined;
  const handBack = () => {
    handedBack ??= retryWhileUnavailable(() => handBackJob(db, job)).catch((error) =>
      log.warn({ err: error }, "claim not handed back; the job has one more failed claim"),
    );
    return handedBack;
  };
  const onAbort = () => {
    if (!(signal.reason instanceof TicketLost)) void handBack();
  };
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return handBack;
}

const maxFailedClaims = 5;

/**
 * Throws Problem `internal_error` for a job with five claims that failed, or that another claim took, on two workers at
 * least. Throws another error if all of them were one worker's: the fault may be that worker's.
 */
export function rejectPoisonJob(job: Pick<ClaimedJob, "failedClaims" | "failedWorkers">): void {
  if (job.failedClaims < maxFailedClaims) return;
  if (job.failedWorkers < 2) throw new Error("One worker alone has failed the job five times. Another one has to try.");
  throw new Problem("internal_error", { reason: "The job failed repeatedly in the service." });
}
