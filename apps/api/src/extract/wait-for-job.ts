import { type ErrorInside, overdueProblem, Problem } from "@video-to-json/contract";
import { type Db, findAnyJob, findJob, type JobRow, retryWhileUnavailable } from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/ledger";
import type { Completions } from "@video-to-json/queue";
import type { ApiMetrics } from "@video-to-json/telemetry";

export type WaitDeps = {
  readonly db: Db;
  readonly completions: Pick<Completions, "wait">;
  readonly metrics: Pick<ApiMetrics, "jobsEnded">;
  /** How long after its job's deadline a caller may wait for an unavailable database, in milliseconds; 25,000 by default. */
  readonly maxLateMs?: number;
};

/** How long a caller waits for an unavailable database before the deadline, in milliseconds. */
const maxDatabaseWaitMs = 60_000;
/** A connection that is silent for longer is left for another. */
const attemptMs = 10_000;
/** Enough for one query of a database that works, however late it is. */
const minQueryMs = 2000;

/**
 * Waits until a job has finished and returns its row, or undefined if `signal` aborts first. A job that reaches its
 * deadline, by the database's clock, fails here without charge (docs/decisions/0001, "Limits"). Throws internal_error
 * if the database stays unavailable, half a minute after the deadline at the latest.
 *
 * @param wait.msToDeadline how far the deadline is away at least, in milliseconds, as long as the job was not read.
 * @param wait.isNew the job was admitted a moment ago: it is read only when it may have ended.
 */
export async function waitForJob(
  { db, completions, metrics, maxLateMs = 25_000 }: WaitDeps,
  job: { id: string; accountId: string },
  wait: { signal: AbortSignal; msToDeadline: number; isNew?: boolean },
): Promise<JobRow | undefined> {
  let endsAt = performance.now() + wait.msToDeadline + maxLateMs;
  if (wait.isNew && (await untilEnded(wait.msToDeadline)) === "aborted") return undefined;
  for (;;) {
    const row = await query(() => findJob(db, job));
    if (!row) throw (await query(() => findAnyJob(db, job.id))) ? erased() : new Error(`job ${job.id} was deleted`);
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

/** The account may have paid for the job by now, so this does not say that nothing was charged. */
function jobUnreadable(jobId: string, cause: unknown): Problem {
  const reason = "The job continues, but its result cannot be read right now.";
  return new Problem("internal_error", { reason, jobId }, { cause });
}

/** Another request of the account deleted the job before this one had read its answer. */
function erased(): Problem {
  return new Problem("invalid_request", {
    reason: "The job was deleted before its answer was read. Send the request again.",
  });
}

/** Returns the stored error of a failed job as a Problem. */
export function problemOf(row: JobRow): Problem {
  return Problem.fromStored(JSON.parse(row.errorText ?? "null") as ErrorInside, row.retryAfterSeconds);
}
