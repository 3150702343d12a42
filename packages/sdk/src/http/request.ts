import { VideoToJsonConnectionError } from "../errors/video-to-json-connection-error.ts";
import type { Connection } from "./connection.ts";
import { type WithResponse, withResponse } from "./response-info.ts";
import { withRetries } from "./retry.ts";
import { type HttpRequest, type HttpResponse, send } from "./send.ts";

/**
 * Sends a request that may be repeated, and retries transient errors. Returns the result of `check` for the response,
 * and the number of its try.
 */
export async function request<T extends object>(
  connection: Connection,
  outgoing: HttpRequest,
  options: CallOptions,
  check: (response: HttpResponse, attempt: number) => T,
): Promise<WithResponse<T>> {
  const retries = toRetries(options.retries ?? connection.retries);
  const timeout = toTimeout(options.timeout ?? connection.timeout);
  const mayRetry = (tries: number) => tries <= retries;
  let attempt = 0;
  return withAbort({ signal: options.signal }, ({ signal }) =>
    withRetries({ connection, mayRetry, signal }, async () => {
      attempt += 1;
      const response = await sendRead(connection, outgoing, { signal, timeout });
      return withResponse(check(response, attempt), response.headers);
    }),
  );
}

/** Sends a request that only reads once, for `timeout` milliseconds at most. */
export function sendRead(
  connection: Connection,
  outgoing: HttpRequest,
  { signal, timeout }: { signal: AbortSignal; timeout: number },
): Promise<HttpResponse> {
  return withAbort({ signal, timeout: { ms: timeout, error: () => noAnswerWithin(connection, timeout) } }, (stop) =>
    send(connection, outgoing, stop.signal),
  );
}

/** The error of a call that took too long. */
export function noAnswerWithin({ baseUrl }: Connection, ms: number): VideoToJsonConnectionError {
  return new VideoToJsonConnectionError(`No answer came from ${baseUrl} within ${ms / 1000} s.`, { retryable: true });
}

/** The options of a call that reads. */
export type CallOptions = {
  /** Ends the call with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How long one try may take, in milliseconds. The client's timeout by default. Infinity means unlimited. */
  timeout?: number | undefined;
  /** How many times at most the request is sent again after a transient error. The client's number by default. */
  retries?: number | undefined;
};

/** Returns a number of retries. Throws a TypeError for anything but a whole number of at least 0. */
export function toRetries(retries: number): number {
  if (Number.isInteger(retries) && retries >= 0) return retries;
  throw new TypeError("retries is not a whole number of at least 0. Pass one.");
}

/** Returns a timeout in milliseconds. Throws a TypeError for anything but a positive number. */
export function toTimeout(timeout: number): number {
  if (typeof timeout === "number" && timeout > 0) return timeout;
  throw new TypeError("timeout is not a positive number of milliseconds. Pass one, or Infinity.");
}

// For a longer delay, setTimeout fires at once.
const maxTimerMs = 2 ** 31 - 1;

/**
 * Calls `run` with a new abort controller, which the caller's signal also aborts. After `timeout` milliseconds, the
 * controller aborts with the error that `timeout` creates. Removes its listener afterwards, because the caller's signal
 * may outlive many requests.
 */
export async function withAbort<T>(
  { signal, timeout }: { signal: AbortSignal | undefined; timeout?: { ms: number; error: () => Error } | undefined },
  run: (stop: AbortController) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const onAbort = () => stop.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer =
    timeout && timeout.ms <= maxTimerMs ? setTimeout(() => stop.abort(timeout.error()), timeout.ms) : undefined;
  try {
    return await run(stop);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}
