import { setTimeout as sleep } from "node:timers/promises";

type Patience = {
  /** How long the server may be away, in milliseconds; 30,000 if not given. */
  ms?: number;
  /** Gives up waiting for it, and rejects with what was wrong last. */
  signal?: AbortSignal;
};

const firstPauseMs = 50;
const longestPauseMs = 1000;

/**
 * Does `work` again while the database server is away: restarting, cut off, or unable to write. `again` says that an
 * earlier try may have been committed all the same, since a connection can break after the commit and before the word of
 * it: only work that can be done twice may be given. Rejects with the last fault when the server stays away, and with any
 * other at once. A server that says nothing is not waited for any longer either; what it was asked last may still be done
 * when it speaks again.
 */
export async function retryWhileUnavailable<T>(
  work: (again: boolean) => Promise<T>,
  { ms = 30_000, signal }: Patience = {},
): Promise<T> {
  const until = Date.now() + ms;
  for (let pauseMs = firstPauseMs, again = false; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs), again = true) {
    try {
      return await unlessSilent(work(again), until);
    } catch (error) {
      if (!isDatabaseUnavailable(error) || Date.now() + pauseMs > until || signal?.aborted) throw error;
    }
    await sleep(pauseMs);
  }
}

async function unlessSilent<T>(asked: Promise<T>, until: number): Promise<T> {
  const { promise: silent, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DatabaseSilent()), until - Date.now());
  try {
    return await Promise.race([asked, silent]);
  } finally {
    clearTimeout(timer);
  }
}

class DatabaseSilent extends Error {
  readonly code = "DATABASE_SILENT";
  constructor() {
    super("the database did not answer in time");
    this.name = "DatabaseSilent";
  }
}

// Of the driver's, the system's and our own; the five-letter ones are Postgres'.
const codes = new Set([
  "DATABASE_SILENT",
  "CONNECTION_CLOSED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOTFOUND", // the name of a container that is being replaced
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ETIMEDOUT",
  "57P01", // shut down
  "57P02", // crashed
  "57P03", // starting up
  "25006", // read-only for now
  "53100", // disk full
  "53200", // out of memory
  "53300", // too many connections
  "55P03", // a lock was not to be had
  "25P03", // a transaction stood still for too long
  "57014", // took too long
]);

/** Whether an error, or what caused it, says that the server cannot be reached or can do no work for now. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return codes.has(code) || isDatabaseUnavailable(error.cause);
}
