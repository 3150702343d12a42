import type { ServerResponse } from "node:http";
import { ApiError } from "./api-error.ts";

/** What goes back: `json` is written as the service writes JSON, `text` as it is, neither is an empty body. */
export type Reply = {
  status: number;
  json?: unknown;
  text?: string;
  headers?: Readonly<Record<string, string>>;
};

/** The connection is to end without a (whole) answer: a fault asked for it, or the caller has gone. */
export class ConnectionLost extends Error {
  /** What still goes out before the end. */
  readonly partly: { reply: Reply; bytes: number } | undefined;

  constructor(partly?: { reply: Reply; bytes: number }) {
    super("The connection is to end without an answer.");
    this.name = "ConnectionLost";
    this.partly = partly;
  }
}

/** Sends a reply; with `onlyBytes`, that many bytes of its body, then ends the connection. */
export function send(response: ServerResponse, reply: Reply, onlyBytes?: number): void {
  if (response.headersSent || response.destroyed) return;
  const text = "json" in reply ? `${JSON.stringify(reply.json, null, 2)}\n` : (reply.text ?? "");
  const body = Buffer.from(text);
  const type = body.length > 0 ? { "content-type": "application/json; charset=UTF-8" } : {};
  response.writeHead(reply.status, { ...type, "content-length": body.length, ...reply.headers });
  if (onlyBytes === undefined) response.end(body);
  else response.write(body.subarray(0, onlyBytes), () => response.destroy());
}

/** The reply to a failed request. Anything but a refusal is an INTERNAL error and is written to the log. */
export function replyToError(error: unknown, log: (line: string) => void): Reply {
  if (error instanceof ApiError) return { status: error.httpStatus, json: error.toBody(), headers: error.headers };
  log(`internal error: ${error instanceof Error ? error.stack : String(error)}`);
  const message =
    "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting";
  return { status: 500, json: new ApiError(500, "INTERNAL", message).toBody() };
}

/** What the service answers where it serves nothing: a page, not JSON. */
export const noSuchPage: Reply = {
  status: 404,
  text: "<!DOCTYPE html>\n<title>Error 404 (Not Found)!!1</title>\n",
  headers: { "content-type": "text/html; charset=UTF-8" },
};
