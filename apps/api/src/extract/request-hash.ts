import { createHash } from "node:crypto";
import { compactText } from "@video-to-json/schema-input";
import type { ExtractRequest } from "./extract-request.ts";

/**
 * Returns a hash of schema, instructions, and URL or the SHA-256 of the upload, in hex. Requests with the same hash are
 * identical (docs/decisions/0001, "Idempotency"). White space between the schema's tokens does not count; the order of
 * keys and the way numbers are written do.
 */
export function requestHash({ schema, instructions, video }: ExtractRequest): string {
  const source = "url" in video ? ["url", video.url] : ["upload", video.upload.sha256];
  return createHash("sha256")
    .update(JSON.stringify([compactText(schema.schemaText), instructions, ...source]))
    .digest("hex");
}
