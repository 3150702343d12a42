import { withTimeLimit } from "@video-to-json/runtime/timing";
import type { Db, Tx } from "./open-database.ts";
import { sendTogether } from "./statements.ts";

/**
 * The result of a transaction, and its last statements, which were started but not awaited. All of them must be sent
 * before the work returns: a statement that waits for another one is sent after the COMMIT.
 */
type Work<T> = { readonly result: T; readonly last?: Promise<unknown> };

/**
 * Runs a transaction, but waits no longer than `commitMs` milliseconds for the reply to its COMMIT: its connection may
 * be dead while others work. Without the reply, it is unknown whether it has committed; another transaction that needs
 * the same lock finds out. The COMMIT is sent together with the last statement. PostgreSQL rolls back at that COMMIT if
 * the statement failed.
 *
 * @throws the error of `work` or of its last statement, or an error that means "unavailable" when the reply does not
 *   come.
 */
export async function transactionWithCommitLimit<T>(
  db: Db,
  commitMs: number,
  work: (tx: Tx) => Promise<Work<T>>,
): Promise<T> {
  const worked = Promise.withResolvers<Work<T>>();
  const committed = db.transaction(async (tx) => worked.resolve(await work(tx)));
  committed.catch(worked.reject);
  const { result, last } = await worked.promise;
  await withTimeLimit(commitMs, () => new DatabaseSilent(), sendTogether([last ?? false, committed]));
  return result;
}

/** A database that did not answer in time. It counts as unavailable. */
export class DatabaseSilent extends Error {
  readonly code = "DATABASE_SILENT";
  constructor() {
    super("the database did not answer in time");
    this.name = "DatabaseSilent";
  }
}
