import { createHash } from "node:crypto";
import type { ExtractRequest } from "./extract-request.ts";

/**
 * What makes two requests the same for an Idempotency-Key: schema, instructions, URL or the upload's SHA-256
 * (docs/decisions/0001, "Idempotency"). Hex.
 */
export function requestHash({ schema, instructions, video }: ExtractRequest): string {
  const source = "url" in video ? ["url", video.url] : ["upload", video.upload.sha256];
  return createHash("sha256")
    .update(JSON.stringify([schema.schemaText.trim(), instructions, ...source]))
    .digest("hex");
}
