import type { IncomingMessage } from "node:http";
import { invalidArgument } from "./api-error.ts";

/** Reads a JSON object to its end. Throws INVALID_ARGUMENT when it is too large, no JSON, or no object. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  if (bytes > maxBytes) throw invalidArgument(`Request payload size exceeds the limit: ${maxBytes} bytes.`);
  const text = Buffer.concat(chunks).toString("utf8");
  return parseJsonObject(text);
}

/** Parses a text as the service does: nothing at all is an empty message. */
export function parseJsonObject(text: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalidArgument(`Invalid JSON payload received. ${error instanceof Error ? error.message : "Syntax error."}`);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw invalidArgument(`Invalid JSON payload received. Unknown name "": Root element must be a message.`);
  }
  return value as Record<string, unknown>;
}
