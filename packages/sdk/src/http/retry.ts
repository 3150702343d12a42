import { VideoToJsonConnectionError } from "../errors/video-to-json-connection-error.ts";
import { VideoToJsonError } from "../errors/video-to-json-error.ts";
import type { Connection } from "./connection.ts";

type ClientError = VideoToJsonError | VideoToJsonConnectionError;

/** A retry that will start: the number of its try (2 is the first retry), the reason, and the delay in milliseconds. */
export type ScheduledRetry = { attempt: number; reason: ClientError; delayMs: number };

type Options = {
  connection: Pick<Connection, "log">;
  /** Returns whether another try may follow this number of tries. */
  mayRetry: (tries: number) => boolean;
  signal: AbortSignal;
  onRetry?: (retry: ScheduledRetry) => void;
};

const firstDelayMs = 500;
const maxDelayMs = 8000;
const maxRetryAfterSeconds = 60;

/**
 * Runs `once` until it succeeds, fails with a lasting error, or may not be retried.
 *
 * Delays grow exponentially with jitter and are at least as long as `Retry-After`. A `Retry-After` over 60 s ends the
 * retries. Throws the last error, or the signal's reason.
 *
 * @example
 * await withRetries({ connection, mayRetry: (tries) => tries <= 4, signal }, () => send(request));
 */
export async function withRetries<T>(
  { connection, mayRetry, signal, onRetry }: Options,
  once: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      signal.throwIfAborted();
      return await once();
    } catch (error) {
      signal.throwIfAborted();
      if (!isTransient(error) || !mayRetry(attempt)) throw error;
      const delayMs = Math.max(backoffMs(attempt), 1000 * (error.retryAfterSeconds ?? 0));
      connection.log({ level: "warn", message: "The request is sent again.", delayMs, error });
      onRetry?.({ attempt: attempt + 1, reason: error, delayMs });
      await sleep(delayMs, signal);
    }
  }
}

/** Returns whether another try can succeed within the next minute. */
export function isTransient(error: unknown): error is ClientError {
  const isClientError = error instanceof VideoToJsonError || error instanceof VideoToJsonConnectionError;
  return isClientError && error.retryable && (error.retryAfterSeconds ?? 0) <= maxRetryAfterSeconds;
}

/** Returns the delay after this number of tries, in milliseconds: from half a second to eight, with jitter. */
export function backoffMs(tries: number): number {
  const fullDelayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (tries - 1));
  return Math.round(fullDelayMs * (0.5 + Math.random() / 2));
}

/** Resolves after `ms` milliseconds. Rejects with the signal's reason when it is aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}
