import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { toWebRequest } from "@modelcontextprotocol/node";
import type { Request, Response } from "express";

/**
 * Returns the web request that the MCP library takes. Media types are in lower case, because the library compares them
 * that way. The URL is the route's own, whatever form the request line had.
 */
export function webRequest(request: Request, message: object, signal: AbortSignal): Promise<globalThis.Request> {
  const headers = { ...request.headers, host: "localhost", accept: request.get("accept")?.toLowerCase() };
  const head = { method: "POST", url: request.path, headers, [Symbol.asyncIterator]: emptyBody };
  return toWebRequest(head, message, { signal });
}

// The body was read before.
async function* emptyBody() {}

/** Sends the library's response. We set the headers for caching and for the connection, not the library. */
export async function sendWebResponse(response: Response, answer: globalThis.Response): Promise<void> {
  for (const [name, value] of answer.headers) if (name !== "connection") response.setHeader(name, value);
  response.setHeader("Cache-Control", "no-store, no-transform");
  response.status(answer.status);
  if (!answer.body) {
    response.end();
    return;
  }
  response.flushHeaders();
  // The pipeline fails when the client closes its stream, which is not an error of ours.
  await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), response).catch(() => {});
}
