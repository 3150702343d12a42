import { VideoToJsonConnectionError } from "../errors/video-to-json-connection-error.ts";
import { VideoToJsonError } from "../errors/video-to-json-error.ts";

/** A failure of one try. */
type Failure = VideoToJsonError | VideoToJsonConnectionError;

/** What is told before a request is sent again: which try comes (2 is the first repetition), why, and after how long. */
export type Retrying = { attempt: number; reason: Failure; delayMs: number };

type Options = { retries: number; signal: AbortSignal; onRetry?: (retrying: Retrying) => void };

const firstDelayMs = 500;
const longestDelayMs = 8000;
const longestAskedSeconds = 60;

/**
 * Runs `once` until it succeeds, fails for a reason that lasts, or has been repeated `retries` times. Waits longer each
 * time, with some chance in it, and at least as long as the service asks; what asks for more than a minute is not
 * waited for. Throws the last failure, or the signal's reason.
 */
export async function withRetries<T>(
  { retries, signal, onRetry }: Options,
  once: (attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      signal.throwIfAborted();
      return await once(attempt);
    } catch (error) {
      signal.throwIfAborted();
      if (attempt > retries || !isPassing(error)) throw error;
      const delayMs = Math.max(backoffMs(attempt), 1000 * (error.retryAfterSeconds ?? 0));
      onRetry?.({ attempt: attempt + 1, reason: error, delayMs });
      await sleep(delayMs, signal);
    }
  }
}

function isPassing(error: unknown): error is Failure {
  const failed = error instanceof VideoToJsonError || error instanceof VideoToJsonConnectionError;
  return failed && error.retryable && (error.retryAfterSeconds ?? 0) <= longestAskedSeconds;
}

function backoffMs(attempt: number): number {
  const most = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  return Math.round(most * (0.5 + Math.random() / 2));
}

/** Resolves after so long, or rejects with the signal's reason. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, ms);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
