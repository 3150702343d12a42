import type { Connection } from "./connection.ts";
import { withRetries } from "./retry.ts";
import { type HttpRequest, type HttpResponse, send } from "./send.ts";
import { withAbort } from "./with-abort.ts";

/** Sends a request that only reads and returns what `check` makes of the response. Retries transient errors. */
export function request<T>(
  connection: Connection,
  outgoing: HttpRequest,
  signal: AbortSignal | undefined,
  check: (response: HttpResponse) => T,
): Promise<T> {
  const mayRetry = (tries: number) => tries <= connection.retries;
  return withAbort(signal, (stop) =>
    withRetries({ mayRetry, signal: stop.signal }, async () => check(await send(connection, outgoing, stop.signal))),
  );
}
