import { type Db, lockAccount, retryWhileUnavailable } from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/ledger";
import { databaseUnavailable } from "../errors/database-unavailable.ts";

/** Jobs that may have been admitted while nobody could be told of it: they are ended, uncharged, as soon as may be. */
export type TakeBacks = {
  takeBack(job: { id: string; accountId: string }): void;
  /** Tries once more what is still open, and gives it up then. */
  close(): Promise<void>;
};

/** Opens the list; a job is tried for `patienceMs`, in which it would have ended by itself. */
export function openTakeBacks({ db, patienceMs }: { db: Db; patienceMs: number }): TakeBacks {
  const closing = new AbortController();
  const open = new Set<Promise<void>>();
  return {
    takeBack({ id, accountId }) {
      const end = () =>
        db.transaction(async (tx) => {
          // An admission on its way to be committed holds this lock; it is seen from here on, or never was.
          await lockAccount(tx, accountId);
          await failAndRelease(tx, { jobId: id, error: databaseUnavailable(undefined).toInside() });
        });
      const ending = retryWhileUnavailable(end, { ms: patienceMs, signal: closing.signal }).catch(() => {});
      open.add(ending);
      void ending.finally(() => open.delete(ending));
    },
    async close() {
      closing.abort();
      await Promise.all(open);
    },
  };
}
