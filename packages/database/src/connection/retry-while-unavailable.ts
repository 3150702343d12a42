import { retry, withTimeLimit } from "@video-to-json/runtime/timing";
import postgres from "postgres";
import type { Db, Tx } from "./open-database.ts";
import { sendTogether } from "./statements.ts";

type Limits = {
  /** How long to try, in milliseconds; 30,000 by default. */
  ms?: number;
  /** How long one attempt may take, in milliseconds. A silent connection is then replaced. `ms` by default. */
  attemptMs?: number;
  /** After an abort no further attempt starts. */
  signal?: AbortSignal;
};

/**
 * Retries `work` while the database is unavailable: restarting, unreachable, or unable to write. A database that
 * accepts connections but never answers gets no more time than one that is down.
 *
 * @param work must be safe to repeat. `again` is true from the second attempt on: an earlier attempt may have
 *   committed, because a connection can break between the commit and its confirmation. An attempt that got no answer
 *   may also commit after this function has thrown.
 * @returns the result of the first attempt that succeeds.
 * @throws the last error when the time is up, or the first error that does not mean "unavailable".
 * @example
 * const row = await retryWhileUnavailable(() => findJob(db, { id, accountId }), { ms: 20_000 });
 */
export async function retryWhileUnavailable<T>(
  work: (again: boolean) => Promise<T>,
  { ms = 30_000, attemptMs = ms, signal }: Limits = {},
): Promise<T> {
  const endsAt = performance.now() + ms;
  const attemptInTime = async (attempt: number) => {
    // This process may have stood still during the pause.
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0) throw new DatabaseSilent();
    return withTimeLimit(Math.min(attemptMs, leftMs), () => new DatabaseSilent(), work(attempt > 1));
  };
  return retry(attemptInTime, {
    minDelayMs: 50,
    maxDelayMs: 1000,
    maxElapsedMs: ms,
    // The caller of an aborted retry gets the database's error, not the reason of the signal.
    isTransient: (error) => isDatabaseUnavailable(error) && !signal?.aborted,
  });
}

// Codes of the driver, the operating system and this package. Those with five characters are PostgreSQL's.
const unavailableCodes = new Set([
  "DATABASE_SILENT",
  "CONNECTION_CLOSED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOTFOUND", // the host name of a container that is being replaced
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ETIMEDOUT",
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "25006", // read_only_sql_transaction
  "53100", // disk_full
  "53200", // out_of_memory
  "53300", // too_many_connections
  "55P03", // lock_not_available
  "25P03", // idle_in_transaction_session_timeout
  "57014", // query_canceled: statement_timeout
]);

/** Returns whether an error, or its cause, means that the database cannot be reached or cannot work for now. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return unavailableCodes.has(code) || isDatabaseUnavailable(error.cause);
}

/**
 * Returns whether the server has refused a statement, and so its whole transaction. The loss of a connection proves
 * less.
 */
export function isRefusedByServer(error: unknown): boolean {
  return error instanceof Error && (error instanceof postgres.PostgresError || isRefusedByServer(error.cause));
}

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
class DatabaseSilent extends Error {
  readonly code = "DATABASE_SILENT";
  constructor() {
    super("the database did not answer in time");
    this.name = "DatabaseSilent";
  }
}
