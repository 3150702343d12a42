import { type ErrorInside, overdueProblem, Problem } from "@video-to-json/contract";
import {
  type Db,
  findAnyJob,
  findJob,
  findJobForCertain,
  type JobRow,
  retryWhileUnavailable,
} from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/database/money";
import type { Completions } from "@video-to-json/queue";
import type { ApiMetrics } from "@video-to-json/runtime/telemetry";

export type WaitDeps = {
  readonly db: Db;
  readonly completions: Pick<Completions, "wait">;
  readonly metrics: Pick<ApiMetrics, "jobsEnded">;
  /** How long after its job's deadline a caller may wait for an unavailable database, in milliseconds; 25,000 by default. */
  readonly maxLateMs?: number;
};

/** How long a caller waits for an unavailable database before the deadline, in milliseconds. */
const maxDatabaseWaitMs = 60_000;
/** A connection that is silent for longer is replaced. */
const attemptMs = 10_000;
/** Enough for one query of a working database, even at the last moment. */
const minQueryMs = 2000;

/**
 * Waits until a job has finished and returns its row, or undefined if `signal` aborts first. A job that reaches its
 * deadline, by the database's clock, fails here without charge (docs/decisions/0001, "Limits"). Throws internal_error
 * if the database stays unavailable, half a minute after the deadline at the latest.
 *
 * @param wait.msToDeadline the least time until the deadline, in milliseconds, before the job is read.
 * @param wait.isNew the job was admitted a moment ago, so it is not read before it can have finished.
 */
export async function waitForJob(
  { db, completions, metrics, maxLateMs = 25_000 }: WaitDeps,
  job: { id: string; accountId: string },
  wait: { signal: AbortSignal; msToDeadline: number; isNew?: boolean },
): Promise<JobRow | undefined> {
  let endsAt = performance.now() + wait.msToDeadline + maxLateMs;
  if (wait.isNew && (await untilEnded(wait.msToDeadline)) === "aborted") return undefined;
  for (;;) {
    const row = (await query(() => findJob(db, job))) ?? (await query(() => findJobForCertain(db, job)));
    if (!row) throw noLonger(job.id, await query(() => findAnyJob(db, job.id)));
    if (row.status === "succeeded" || row.status === "failed") return row;
    endsAt = performance.now() + row.msToDeadline + maxLateMs;
    if (row.msToDeadline <= 0) {
      const error = overdueProblem(row.startedAt !== null).toInside();
      const hasFailed = await query(() => failAndRelease(db, { jobId: job.id, error }));
      if (hasFailed) metrics.jobsEnded.inc({ outcome: error.code, by: "deadline" });
      continue;
    }
    if ((await untilEnded(row.msToDeadline)) === "aborted") return undefined;
  }

  function untilEnded(msToDeadline: number): ReturnType<Completions["wait"]> {
    const deadline = new Date(Date.now() + Math.ceil(msToDeadline));
    return completions.wait(job.id, { signal: wait.signal, deadline });
  }

  function query<T>(work: () => Promise<T>): Promise<T> {
    const ms = Math.max(minQueryMs, Math.min(maxDatabaseWaitMs, endsAt - performance.now()));
    return retryWhileUnavailable(work, { ms, attemptMs }).catch((cause) => {
      throw jobUnreadable(job.id, cause);
    });
  }
}

/** The account may have been charged meanwhile, so the message does not say that nothing was charged. */
function jobUnreadable(jobId: string, cause: unknown): Problem {
  const reason = "The job continues, but its result cannot be read right now.";
  return new Problem("internal_error", { reason, jobId }, { cause });
}

/** Another request of the account deleted the job, or the whole account, before this one read its answer. */
function noLonger(id: string, row: JobRow | undefined): Error {
  if (!row) return new Error(`job ${id} was deleted`);
  // An erased job keeps the code of its error. No other failed job has this one.
  const { code } = JSON.parse(row.errorText ?? "{}") as Partial<ErrorInside>;
  if (code === "unauthorised") return new Problem(code, { reason: "account_deleted" });
  return new Problem("invalid_request", {
    reason: "The job was deleted before its answer was read. Send the request again.",
  });
}

/** Returns the stored error of a failed job as a Problem. */
export function problemOf(row: JobRow): Problem {
  return Problem.fromStored(JSON.parse(row.errorText ?? "null") as ErrorInside, row.retryAfterSeconds);
}
