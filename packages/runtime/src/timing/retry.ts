import { setTimeout as sleep } from "node:timers/promises";
import pRetry from "p-retry";
import { steadyNow } from "./time-limit.ts";

/** The time that `retry` measures and waits with. Tests replace it. */
export type Clock = {
  /** Returns the time in milliseconds, from an arbitrary start. */
  now(): number;
  /** Resolves after `ms` milliseconds. Rejects as soon as `signal` aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<unknown>;
};

/** The time of this machine. A wait rejects with the reason of its signal. */
export const systemClock: Clock = {
  now: steadyNow,
  async wait(ms, signal) {
    await sleep(ms, undefined, { signal }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
  },
};

/** How often, how fast and for which errors work is tried again. */
export type RetryPolicy = {
  /** The first pause, in milliseconds. Each further pause is twice as long. */
  readonly minDelayMs: number;
  /** The longest pause, in milliseconds. A pause that `delayMs` chooses may be longer. */
  readonly maxDelayMs: number;
  /** Lengthens every pause by a random part of up to this fraction of the exponential pause. 0 by default. */
  readonly jitter?: number;
  /** Gives up when the next pause would end later than this, in milliseconds from the start. No limit by default. */
  readonly maxElapsedMs?: number;
  /** Gives up after this many attempts. No limit by default. */
  readonly maxAttempts?: number;
  /** Whether the same work may succeed later. `attempt` is the number of the attempt that failed, from 1. */
  isTransient(error: unknown, attempt: number): boolean;
  /** Returns the pause after this error, such as a server's Retry-After; undefined means the exponential pause. */
  delayMs?(error: unknown, attempt: number): number | undefined;
  /** Ends the pause and starts no further attempt. A running attempt has to watch the signal itself. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each pause, for the log. */
  onRetry?(retry: { error: unknown; attempt: number; delayMs: number }): void;
  /** The system's monotonic clock by default. */
  readonly clock?: Clock;
};

/**
 * Runs `work` until it succeeds, fails with an error that is not transient, or the policy gives up. A TypeError that is
 * not a network error is a fault of the program and is never tried again.
 *
 * @param work receives the number of the attempt, from 1. An attempt above 1 may repeat work that was done.
 * @returns the result of the first attempt that succeeds.
 * @throws the last error, or the signal's reason when the signal aborts before an attempt or during a pause.
 * @example
 * await retry(() => fetchCopy(), {
 *   minDelayMs: 500,
 *   maxDelayMs: 16_000,
 *   maxAttempts: 4,
 *   isTransient: (error) => error instanceof HttpError && error.status >= 500,
 *   delayMs: (error) => (error as HttpError).retryAfterMs,
 * });
 */
export async function retry<T>(work: (attempt: number) => Promise<T>, policy: RetryPolicy): Promise<T> {
  const { minDelayMs, maxDelayMs, jitter = 0, maxElapsedMs, maxAttempts, signal, clock = systemClock } = policy;
  const startedAt = clock.now();
  signal?.throwIfAborted();
  return pRetry(work, {
    retries: (maxAttempts ?? Number.POSITIVE_INFINITY) - 1,
    // p-retry takes no pause from an error, so `shouldRetry` makes the pause and p-retry adds none.
    minTimeout: 0,
    // p-retry's own signal would also discard the result of an attempt that succeeds after the abort.
    shouldRetry: async ({ error, attemptNumber: attempt }) => {
      signal?.throwIfAborted();
      if (!policy.isTransient(error, attempt)) return false;
      const exponentialMs = Math.min(maxDelayMs, minDelayMs * 2 ** (attempt - 1));
      const chosenMs = policy.delayMs?.(error, attempt) ?? exponentialMs;
      const delayMs = Math.round(chosenMs + Math.random() * jitter * exponentialMs);
      if (maxElapsedMs !== undefined && clock.now() - startedAt + delayMs > maxElapsedMs) return false;
      policy.onRetry?.({ error, attempt, delayMs });
      await clock.wait(delayMs, signal);
      signal?.throwIfAborted();
      return true;
    },
  });
}
