import { type Clock, retry } from "@video-to-json/runtime/timing";
import type { ProviderObserver } from "../analysis-provider.ts";
import { GeminiError } from "./gemini-error.ts";
import { providerUnavailable } from "./refusal.ts";

/** The dependencies of retries. `clock.now` returns the time to which deadlines are compared. */
export type RetryDeps = {
  readonly clock: Clock;
  readonly log: Record<"info" | "warn" | "error", (obj: object, msg: string) => void>;
  /** Called after every 429 with the pause until the next request, in milliseconds. */
  onRateLimited(delayMs: number): void;
  readonly observer?:
    | Pick<ProviderObserver, "onRetry" | "onTokens" | "onSoundMissing" | "onFallback" | "onFiles">
    | undefined;
};

/** The work that a request belongs to; `jobId` is null outside a job. `maxAttempts` is an additional limit. */
export type RetryContext = { jobId: string | null; signal: AbortSignal; deadline: Date; maxAttempts?: number };

type RetryOptions = {
  /** Whether the next attempt asks another model, and so needs no pause. */
  isSwitch?(error: GeminiError): boolean;
  /** Whether the work may succeed after this error. `isTransient` by default. */
  isRetryable?(error: GeminiError): boolean;
  /** Creates the error to throw when the attempts or the time are used up. `providerUnavailable` by default. */
  giveUp?(error: GeminiError, delayMs: number): Error;
};

const minDelayMs = 500;
const maxDelayMs = 16_000;
const delayForExhaustedQuotaMs = 60_000;
/** What an attempt usually takes at most. */
const attemptMs = 30_000;

/**
 * Runs `work` until it succeeds. Pauses for as long as Gemini asks, or else for longer and longer.
 *
 * @param request names the request in the log.
 * @throws GeminiError for an error that a retry cannot change; the error of `giveUp`; the reason of `context.signal`.
 */
export async function retryRequest<T>(
  deps: RetryDeps,
  context: RetryContext,
  request: string,
  work: (attempt: number) => Promise<T>,
  { isSwitch = () => false, isRetryable = isTransient, giveUp = providerUnavailable }: RetryOptions = {},
): Promise<T> {
  const { clock, log, onRateLimited } = deps;
  const { jobId, signal, deadline } = context;
  let attempt = 0;
  let switches = false;
  const leftMs = deadline.getTime() - clock.now();
  try {
    return await retry(
      (current) => {
        attempt = current;
        return work(current);
      },
      {
        ...{ minDelayMs, maxDelayMs, jitter: 0.5, signal, clock },
        // The last attempt needs time too.
        maxElapsedMs: leftMs - Math.min(attemptMs, leftMs / 8),
        isTransient(error) {
          if (!(error instanceof GeminiError)) return false;
          switches = isSwitch(error);
          if (!switches && (!isRetryable(error) || error.isQuotaExhausted)) return false;
          return attempt < Math.min(maxAttemptsAfter(error), context.maxAttempts ?? Number.POSITIVE_INFINITY);
        },
        delayMs: (error) => (switches ? 0 : ((error as GeminiError).retryAfterMs ?? undefined)),
        onRetry: ({ error, delayMs }) => {
          if ((error as GeminiError).status === 429 && !switches) onRateLimited(delayMs);
          deps.observer?.onRetry((error as GeminiError).status);
          log.info({ ...fieldsOf(error as GeminiError), delayMs }, "provider unavailable; retrying");
        },
      },
    );
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof GeminiError) || !isRetryable(error)) throw error;
    const exponentialMs = Math.min(maxDelayMs, minDelayMs * 2 ** (attempt - 1));
    const delayMs = error.retryAfterMs ?? (error.isQuotaExhausted ? delayForExhaustedQuotaMs : exponentialMs);
    if (error.status === 429) onRateLimited(delayMs);
    log.warn({ ...fieldsOf(error), delayMs }, "provider still unavailable; giving up");
    throw giveUp(error, delayMs);
  }

  function fieldsOf({ status, reason, message }: GeminiError) {
    return { jobId, request, status, reason, providerError: message, attempt };
  }
}

/**
 * Returns whether the same request may succeed later: after broken connections, 408, 429, 5xx and replies that are not
 * JSON.
 */
export function isTransient({ status }: GeminiError): boolean {
  return status === null || isOk(status) || status === 408 || status === 429 || (status >= 500 && status !== 501);
}

/** Overload and quotas pass. Other errors that come again and again do not. */
function maxAttemptsAfter({ status }: GeminiError): number {
  if (status === 429 || status === 503 || status === 404) return Number.POSITIVE_INFINITY;
  return status !== null && (isOk(status) || status === 500 || status === 504) ? 4 : 7;
}

/** A success status with a body that the protocol does not allow. */
function isOk(status: number): boolean {
  return status >= 200 && status <= 299;
}
