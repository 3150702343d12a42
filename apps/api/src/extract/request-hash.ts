import { createHash } from "node:crypto";
import { compactText } from "@video-to-json/schema";
import type { ExtractRequest } from "./extract-request.ts";

/**
 * Returns a hash of schema, instructions, URL or the SHA-256 of the upload, and options, in hex. Requests with the same
 * hash are identical (docs/decisions/0001, "Idempotency"). White space between the schema's tokens does not count; the
 * order of keys and the way numbers are written do.
 */
export function requestHash(request: ExtractRequest): string {
  const { schema, instructions, video, clip, detail, wantsEvidence, secondLook } = request;
  const source = "url" in video ? ["url", video.url] : ["upload", video.upload.sha256];
  const options = [
    ...(clip ? [{ clip }] : []),
    ...(detail === "standard" ? [] : [{ detail }]),
    ...(wantsEvidence ? ["evidence"] : []),
    ...(secondLook === undefined ? [] : [`second-look ${secondLook}`]),
  ];
  return createHash("sha256")
    .update(JSON.stringify([compactText(schema.schemaText), instructions, ...source, ...options]))
    .digest("hex");
}
