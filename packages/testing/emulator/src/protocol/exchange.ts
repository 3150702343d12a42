import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonObject } from "@video-to-json/contract";
import type { Fault, Operation, RequestFacts } from "../faults/faults.ts";

/** One request, as its handler receives it. */
export type Exchange = {
  request: IncomingMessage;
  url: URL;
  /** Scheme, host and port as the caller sees them. */
  origin: string;
  /** The groups that the route's pattern matched in the path. */
  params: readonly string[];
  /** Injects the planned faults. Returns the one that the handler applies itself. Throws to end the request. */
  injectFault(operation: Operation, facts?: RequestFacts): Promise<Fault | undefined>;
};

/** Returns the value of a header, or the first value if there are several. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Returns the API key. Every printable key is valid, unless it starts with `invalid`. Throws Gemini's refusal. */
export function authenticate(request: IncomingMessage, url: URL): string {
  const given = [header(request, "x-goog-api-key"), url.searchParams.get("key")].filter((key) => key != null);
  if (given.length > 1) throw invalidArgument("Multiple authentication credentials received. Please pass only one.");
  const [key = ""] = given;
  if (key === "") throw refusal(403, "PERMISSION_DENIED", noKey);
  if (!plausible.test(key)) throw refusal(400, "INVALID_ARGUMENT", wrongKey, { details: [keyInfo] });
  return key;
}

const plausible = /^(?!invalid)[\x21-\x7e]{1,512}$/i;
const noKey =
  "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.";
const wrongKey = "API key not valid. Please pass a valid API key.";
const keyInfo = {
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason: "API_KEY_INVALID",
  domain: "googleapis.com",
  metadata: { service: "generativelanguage.googleapis.com" },
};

/** Reads a body of at most `maxBytes` bytes as a JSON object. Throws INVALID_ARGUMENT if it is larger or not an object. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  if (bytes > maxBytes) throw invalidArgument(`Request payload size exceeds the limit: ${maxBytes} bytes.`);
  return parseJsonObject(Buffer.concat(chunks).toString("utf8"));
}

/** Parses a JSON object. As with Gemini, an empty text is an empty message. Throws INVALID_ARGUMENT. */
function parseJsonObject(text: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalidArgument(`Invalid JSON payload received. ${error instanceof Error ? error.message : "Syntax error."}`);
  }
  if (!isJsonObject(value)) {
    throw invalidArgument(`Invalid JSON payload received. Unknown name "": Root element must be a message.`);
  }
  return value;
}

/** A reply. `json` is written the way Gemini writes JSON, `text` as it is. Without both the body is empty. */
export type Reply = {
  status: number;
  json?: unknown;
  text?: string;
  headers?: Readonly<Record<string, string>> | undefined;
};

/** Ends a request with a reply that its handler did not write: a refusal, or what a fault puts in its place. */
export class EarlyReply extends Error {
  readonly reply: Reply;

  constructor(reply: Reply, message = "A fault replaces the reply.") {
    super(message);
    this.reply = reply;
  }
}

/** Ends a request without a whole reply, because a fault closes the connection or the caller has closed it. */
export class ConnectionLost extends Error {
  /** The bytes that are sent before the connection is closed. */
  readonly partial: { reply: Reply; bytes: number } | undefined;

  constructor(partial?: ConnectionLost["partial"]) {
    super("The connection is closed without a whole reply.");
    this.partial = partial;
  }
}

type More = { details?: readonly object[]; headers?: Readonly<Record<string, string>> };

/** Returns a refusal in Gemini's form: HTTP status, name of the google.rpc.Code, message and typed details. */
export function refusal(status: number, code: string, message: string, { details, headers }: More = {}): EarlyReply {
  const error = { code: status, message, status: code, ...(details?.length ? { details } : {}) };
  return new EarlyReply({ status, json: { error }, headers }, message);
}

/** Returns the refusal of an invalid request: 400 INVALID_ARGUMENT. */
export function invalidArgument(message: string, more?: More): EarlyReply {
  return refusal(400, "INVALID_ARGUMENT", message, more);
}

/** Returns the refusal of a file that is missing, has expired or belongs to another key. Gemini answers all three alike. */
export function noSuchFile(id: string): EarlyReply {
  const message = `You do not have permission to access the File ${id} or it may not exist.`;
  return refusal(403, "PERMISSION_DENIED", message);
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
  log(`internal error: ${error instanceof Error ? error.stack : String(error)}`);
  const message =
    "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting";
  return refusal(500, "INTERNAL", message).reply;
}

/** Gemini's answer to an unknown path: an HTML page. */
export const notFoundPage: Reply = {
  status: 404,
  text: "<!DOCTYPE html>\n<title>Error 404 (Not Found)!!1</title>\n",
  headers: { "content-type": "text/html; charset=UTF-8" },
};
