import { createHash } from "node:crypto";
import { compactText } from "@video-to-json/schema-input";
import type { ExtractRequest } from "./extract-request.ts";

/**
 * What makes two requests the same: schema, instructions, URL or the upload's SHA-256 (docs/decisions/0001,
 * "Idempotency"). White space between the schema's tokens makes no difference; order of keys and literals do. Hex.
 */
export function requestHash({ schema, instructions, video }: ExtractRequest): string {
  const source = "url" in video ? ["url", video.url] : ["upload", video.upload.sha256];
  return createHash("sha256")
    .update(JSON.stringify([compactText(schema.schemaText), instructions, ...source]))
    .digest("hex");
}
