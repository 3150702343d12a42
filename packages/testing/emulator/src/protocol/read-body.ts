import type { IncomingMessage } from "node:http";
import { isJsonObject } from "@video-to-json/contract";
import { invalidArgument } from "./api-error.ts";

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
export function parseJsonObject(text: string): Record<string, unknown> {
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
