import { setTimeout as sleep } from "node:timers/promises";
import { VideoToJsonError } from "video-to-json";

/** A retry that will start: its number, the reason and the delay in milliseconds. */
type ScheduledRetry = { attempt: number; reason: VideoToJsonError; delayMs: number };

type Options = { signal: AbortSignal; onRetry: (retry: ScheduledRetry) => void };

const defaultDelaySeconds = 5;
const longestWaitMs = 30 * 60_000;

/**
 * Calls `once` again while the service has no place for another job or another request (`too_many_jobs`,
 * `rate_limited`), for half an hour at most, because it may wait for the other jobs of the command. The service chooses
 * the delays. Throws every other error, and the signal's reason.
 */
export async function retryWhileBusy<T>({ signal, onRetry }: Options, once: () => Promise<T>): Promise<T> {
  const until = Date.now() + longestWaitMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once();
    } catch (error) {
      signal.throwIfAborted();
      if (!isBusy(error) || Date.now() > until) throw error;
      const delayMs = 1000 * (error.retryAfterSeconds ?? defaultDelaySeconds);
      onRetry({ attempt: attempt + 1, reason: error, delayMs });
      await sleep(delayMs, undefined, { signal });
    }
  }
}

function isBusy(error: unknown): error is VideoToJsonError {
  return error instanceof VideoToJsonError && (error.code === "too_many_jobs" || error.code === "rate_limited");
}
