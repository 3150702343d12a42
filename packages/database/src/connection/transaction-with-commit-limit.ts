import { withTimeLimit } from "@video-to-json/timing";
import { DatabaseSilent } from "./database-silent.ts";
import type { Db, Tx } from "./open-database.ts";

/**
 * Runs a transaction, but waits no longer than `commitMs` milliseconds for the reply to its COMMIT: its connection may
 * be dead while others work. Whether it has committed is unknown then; another transaction that needs the same lock
 * finds out.
 *
 * @throws the error of `work`, or an error that means "unavailable" when the reply does not come.
 */
export async function transactionWithCommitLimit<T>(
  db: Db,
  commitMs: number,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { promise: worked, resolve: signalWorked } = Promise.withResolvers<void>();
  const committed = db.transaction(async (tx) => {
    const result = await work(tx);
    signalWorked();
    return result;
  });
  await Promise.race([worked, committed]);
  return withTimeLimit(commitMs, () => new DatabaseSilent(), committed);
}
