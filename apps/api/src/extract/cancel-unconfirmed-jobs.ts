import { type Db, lockAccount, retryWhileUnavailable } from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/ledger";
import { databaseUnavailable } from "../errors/database-unavailable.ts";

/**
 * Jobs whose commit outcome is unknown and whose caller has no idempotency key to find them by. They are cancelled
 * without charge as soon as the database is available.
 */
export type UnconfirmedJobs = {
  /** Starts to cancel a job, if it was admitted at all. */
  cancel(job: { id: string; accountId: string }): void;
  /** Tries every remaining job once more, and then stops. */
  close(): Promise<void>;
};

/** Opens the list. A job is tried for `retryMs` milliseconds, the time in which it would have finished by itself. */
export function openUnconfirmedJobs({ db, retryMs }: { db: Db; retryMs: number }): UnconfirmedJobs {
  const closing = new AbortController();
  const cancelling = new Set<Promise<void>>();
  return {
    cancel({ id, accountId }) {
      const work = () =>
        db.transaction(async (tx) => {
          // An admission that is still committing holds this lock. Once we have it, the job exists or never will.
          await lockAccount(tx, accountId);
          await failAndRelease(tx, { jobId: id, error: databaseUnavailable(undefined).toInside() });
        });
      const done = retryWhileUnavailable(work, { ms: retryMs, signal: closing.signal }).catch(() => {});
      cancelling.add(done);
      void done.finally(() => cancelling.delete(done));
    },
    async close() {
      closing.abort();
      await Promise.all(cancelling);
    },
  };
}
