import { type ErrorInside, type JobProgress, overdueProblem, Problem } from "@video-to-json/contract";
import { type Db, findJob, type JobRow, retryWhileUnavailable } from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/ledger";
import type { Completions } from "@video-to-json/queue";

type Deps = { readonly db: Db; readonly completions: Pick<Completions, "wait"> };

// As long as a caller may be expected to wait for a database that is away.
const unreadableMs = 60_000;

/**
 * Waits until a job has ended and gives its row; undefined when the caller went away, which ends the wait and not the
 * job. At the job's deadline, by the database's clock, it is ended here, without charge (docs/decisions/0001, "Limits").
 * Throws internal_error when the database stays away.
 */
export async function awaitAnswer(
  { db, completions }: Deps,
  job: { id: string; accountId: string },
  wait: { signal: AbortSignal; onProgress?(progress: JobProgress): void },
): Promise<JobRow | undefined> {
  for (;;) {
    const row = await reach(() => findJob(db, job));
    if (!row) throw new Error(`job ${job.id} is gone`);
    if (row.status === "succeeded" || row.status === "failed") return row;
    if (row.msToDeadline <= 0) {
      const error = overdueProblem(row.startedAt !== null).toInside();
      await reach(() => failAndRelease(db, { jobId: job.id, error }));
      continue;
    }
    const deadline = new Date(Date.now() + Math.ceil(row.msToDeadline));
    const end = await completions.wait(job.id, { ...wait, deadline });
    if (end === "aborted") return undefined;
  }

  function reach<T>(work: () => Promise<T>): Promise<T> {
    return retryWhileUnavailable(work, { ms: unreadableMs }).catch((cause) => {
      throw jobUnreadable(job.id, cause);
    });
  }
}

/** The account may have paid for the job by now, so this does not say that nothing was charged. */
function jobUnreadable(jobId: string, cause: unknown): Problem {
  const reason = "The job continues, but its result cannot be read right now.";
  return new Problem("internal_error", { reason, jobId }, { cause });
}

/** The error of a failed job as the Problem to answer with. */
export function problemOf(row: JobRow): Problem {
  return Problem.fromStored(JSON.parse(row.errorText ?? "null") as ErrorInside, row.retryAfterSeconds);
}
