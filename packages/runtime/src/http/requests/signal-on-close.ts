import type { ServerResponse } from "node:http";

/** Returns a signal that aborts when the response is complete or the client has closed the connection. */
export function signalOnClose(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  response.once("close", () => closed.abort());
  if (response.destroyed) closed.abort();
  return closed.signal;
}
