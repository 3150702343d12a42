import type { ServerResponse } from "node:http";
import { ApiError } from "./api-error.ts";

/** A reply. `json` is written the way Gemini writes JSON, `text` as it is. Without both the body is empty. */
export type Reply = {
  status: number;
  json?: unknown;
  text?: string;
  headers?: Readonly<Record<string, string>>;
};

/** The first bytes of a reply. */
type PartialReply = { reply: Reply; bytes: number };

/** Ends a request without a whole reply, because a fault closes the connection or the caller has closed it. */
export class ConnectionLost extends Error {
  /** The bytes that are sent before the connection is closed. */
  readonly partial: PartialReply | undefined;

  constructor(partial?: PartialReply) {
    super("The connection is closed without a whole reply.");
    this.name = "ConnectionLost";
    this.partial = partial;
  }
}

/** Ends a request with a reply that its handler did not write. */
export class EarlyReply extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super("A fault replaces the reply.");
    this.name = "EarlyReply";
    this.reply = reply;
  }
}

/** Sends a reply. With `onlyBytes`, sends that many bytes of its body and closes the connection. */
export function send(response: ServerResponse, reply: Reply, onlyBytes?: number): void {
  if (response.headersSent || response.destroyed) return;
  const text = "json" in reply ? `${JSON.stringify(reply.json, null, 2)}\n` : (reply.text ?? "");
  const body = Buffer.from(text);
  const type = body.length > 0 ? { "content-type": "application/json; charset=UTF-8" } : {};
  response.writeHead(reply.status, { ...type, "content-length": body.length, ...reply.headers });
  if (onlyBytes === undefined) response.end(body);
  else response.write(body.subarray(0, onlyBytes), () => response.destroy());
}

/** Returns the reply to a failed request. An unexpected error is logged and answered as INTERNAL. */
export function replyToError(error: unknown, log: (line: string) => void): Reply {
  if (error instanceof EarlyReply) return error.reply;
  if (error instanceof ApiError) return { status: error.httpStatus, json: error.toBody(), headers: error.headers };
  log(`internal error: ${error instanceof Error ? error.stack : String(error)}`);
  const message =
    "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting";
  return { status: 500, json: new ApiError(500, "INTERNAL", message).toBody() };
}

/** Gemini's answer to an unknown path: an HTML page. */
export const notFoundPage: Reply = {
  status: 404,
  text: "<!DOCTYPE html>\n<title>Error 404 (Not Found)!!1</title>\n",
  headers: { "content-type": "text/html; charset=UTF-8" },
};
