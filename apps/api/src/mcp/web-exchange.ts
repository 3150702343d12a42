import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { toWebRequest } from "@modelcontextprotocol/node";
import type { Request, Response } from "express";

/**
 * A request as the protocol library takes it, with its message. Media types are in lower case, as the library compares
 * them, and the address is the route's own, whatever form the request line had.
 */
export function webRequest(request: Request, message: object, signal: AbortSignal): Promise<globalThis.Request> {
  const headers = { ...request.headers, host: "localhost", accept: request.get("accept")?.toLowerCase() };
  const head = { method: "POST", url: request.path, headers, [Symbol.asyncIterator]: nothing };
  return toWebRequest(head, message, { signal });
}

// The body was read before.
async function* nothing() {}

/** Sends the library's answer. What may be kept, and how long the connection lasts, is said here and not in the library. */
export async function sendAnswer(response: Response, answer: globalThis.Response): Promise<void> {
  for (const [name, value] of answer.headers) if (name !== "connection") response.setHeader(name, value);
  response.setHeader("Cache-Control", "no-store, no-transform");
  response.status(answer.status);
  if (!answer.body) {
    response.end();
    return;
  }
  response.flushHeaders();
  // A caller that goes away ends its stream, and that is all there is to it.
  await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), response).catch(() => {});
}
