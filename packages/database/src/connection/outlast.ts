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
 * Does `work` again while the database server is away: restarting, or cut off. `again` says that an earlier try may have
 * been committed all the same, since a connection can break after the commit and before the word of it: only work that
 * can be done twice may be given. Rejects with the last fault when the server stays away, and with any other at once.
 */
export async function outlast<T>(
  work: (again: boolean) => Promise<T>,
  { ms = 30_000, signal }: Patience = {},
): Promise<T> {
  const until = Date.now() + ms;
  for (let pauseMs = firstPauseMs, again = false; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs), again = true) {
    try {
      return await work(again);
    } catch (error) {
      if (!isAway(error) || Date.now() + pauseMs > until || signal?.aborted) throw error;
    }
    await sleep(pauseMs);
  }
}

// Of the driver's and the system's own; the five-letter ones are Postgres': shut down, crashed, starting up.
const codes = new Set([
  "CONNECTION_CLOSED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "57P01",
  "57P02",
  "57P03",
]);

/** Whether an error, or what caused it, says that the server cannot be reached or is just going or coming. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return codes.has(code) || isAway(error.cause);
}
