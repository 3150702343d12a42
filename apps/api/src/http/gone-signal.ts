import type { Response } from "express";

/** Aborts when the connection of a response is over: the caller has it all, or has gone. */
export function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  if (response.destroyed) gone.abort();
  return gone.signal;
}
