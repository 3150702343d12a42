import { confirmJobs, type Db, retryWhileUnavailable } from "@video-to-json/database";
import { failUnconfirmed } from "@video-to-json/database/money";
import type { ApiMetrics } from "@video-to-json/runtime/telemetry";
import { unrefDelay } from "@video-to-json/runtime/timing";
import { databaseUnavailable } from "../errors/database-unavailable.ts";

/**
 * The new jobs of this process that their callers cannot find again, because they have no idempotency key. The database
 * marks such a job as unconfirmed until this process knows that its admission has committed. If the process dies first,
 * a worker fails the job.
 */
export type UnconfirmedJobs = {
  /** Starts to confirm a job. */
  confirm(jobId: string): void;
  /** Starts to cancel a job whose commit outcome is unknown, if it was admitted at all. Nothing is charged. */
  cancel(job: { id: string; accountId: string }): void;
  /** Tries what remains once more, for five seconds at most. */
  close(): Promise<void>;
};

type Options = {
  readonly db: Db;
  readonly metrics: Pick<ApiMetrics, "jobsEnded">;
  /** How long to try, in milliseconds. A job would have finished by itself in this time. */
  readonly retryMs: number;
};

/** A connection that is silent for longer is replaced. */
const attemptMs = 5000;
const maxCloseMs = 5000;
const maxBatch = 1000;

/** Opens the list of a process. Confirmations that come while one is being written are written together. */
export function openUnconfirmedJobs({ db, metrics, retryMs }: Options): UnconfirmedJobs {
  const closing = new AbortController();
  const limits = { ms: retryMs, attemptMs, signal: closing.signal };
  const running = new Set<Promise<void>>();
  const toConfirm = new Set<string>();
  let confirming = false;

  function start(work: Promise<unknown>): void {
    const done = work.then(
      () => {},
      () => {},
    );
    running.add(done);
    void done.finally(() => running.delete(done));
  }

  async function confirmAll(): Promise<void> {
    confirming = true;
    while (toConfirm.size > 0) {
      const batch = [...toConfirm].slice(0, maxBatch);
      for (const id of batch) toConfirm.delete(id);
      await retryWhileUnavailable(() => confirmJobs(db, batch), limits).catch(() => {});
    }
    confirming = false;
  }

  return {
    confirm(jobId) {
      toConfirm.add(jobId);
      if (!confirming) start(confirmAll());
    },
    cancel({ id: jobId, accountId }) {
      const error = databaseUnavailable(undefined).toInside();
      const cancelling = retryWhileUnavailable(() => failUnconfirmed(db, { jobId, accountId, error }), limits);
      start(
        cancelling.then((hasFailed) => {
          if (hasFailed) metrics.jobsEnded.inc({ outcome: error.code, by: "admission" });
        }),
      );
    },
    async close() {
      closing.abort();
      await Promise.race([Promise.all(running), unrefDelay(maxCloseMs)]);
    },
  };
}
