import type { IncomingMessage } from "node:http";
import { isJsonObject } from "@video-to-json/contract";
import type { Fault, Operation, RequestFacts } from "../faults/fault.ts";
import { ApiError, invalidArgument } from "./reply.ts";

/** One request, as its handler receives it. */
export type Exchange = {
  request: IncomingMessage;
  url: URL;
  /** Scheme, host and port as the caller sees them. */
  origin: string;
  /** The groups that the route's pattern matched in the path. */
  params: readonly string[];
  /**
   * Injects the planned faults into this request (faults/inject-fault.ts). Returns the fault that the handler applies
   * itself, if any. Throws to end the request.
   */
  injectFault(operation: Operation, facts?: RequestFacts): Promise<Fault | undefined>;
};

/** Returns the value of a header, or the first value if there are several. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Returns the API key of a request, from `x-goog-api-key` or `?key=`. Every printable key is valid, unless it starts
 * with `invalid`. Throws Gemini's refusal of a missing or invalid key.
 */
export function authenticate(request: IncomingMessage, url: URL): string {
  const key = header(request, "x-goog-api-key") ?? url.searchParams.get("key") ?? "";
  if (key === "") throw new ApiError(403, "PERMISSION_DENIED", noKey);
  if (!plausible.test(key)) throw new ApiError(400, "INVALID_ARGUMENT", wrongKey, { details: [keyInfo] });
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
