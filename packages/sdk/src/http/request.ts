import { VideoToJsonConnectionError } from "../errors/video-to-json-connection-error.ts";
import { type CallOptions, toRetries, toTimeout } from "./call-options.ts";
import type { Connection } from "./connection.ts";
import { type WithResponse, withResponse } from "./response-info.ts";
import { withRetries } from "./retry.ts";
import { type HttpRequest, type HttpResponse, send } from "./send.ts";
import { withAbort } from "./with-abort.ts";

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
