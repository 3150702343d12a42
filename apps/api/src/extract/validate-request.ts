import { type Limits, Problem } from "@video-to-json/contract";
import { checkVideoUrl } from "@video-to-json/media/address";
import type { ExtractRequest, RequestFields } from "./extract-request.ts";
import { readClip, readDetail } from "./read-clip.ts";

export type ValidationRules = {
  readonly limits: Pick<Limits, "maxInstructionsCharacters">;
  readonly fetchAllowHosts: readonly string[];
};

/**
 * Validates the fields of a request, whose schema has been compiled: first the schema, then the video, then the rest
 * (docs/decisions/0001, "Order of checks"). Returns the request of the job `id`. Throws schema_missing, video_missing,
 * invalid_request or video_unreachable.
 */
export function validateRequest(rules: ValidationRules, id: string, fields: RequestFields): ExtractRequest {
  const { schema, upload, hasFile } = fields;
  const videoUrl = fields.videoUrl?.trim() || undefined;
  if (!schema) throw new Problem("schema_missing", {});
  if (hasFile && videoUrl) {
    throw new Problem("invalid_request", { reason: "The request has both `video` and `video_url`. Send one of them." });
  }
  if (!upload && !videoUrl) throw new Problem("video_missing", { accepted: "file or URL" });
  const instructions = validateInstructions(rules, fields.instructions);
  const asked = { id, schema, instructions, clip: readClip(fields.clip), detail: readDetail(fields.detail) };
  if (upload) return { ...asked, video: { upload } };
  const { href } = checkVideoUrl(videoUrl ?? "", { allowHosts: rules.fetchAllowHosts });
  return { ...asked, video: { url: href } };
}

function validateInstructions({ limits }: ValidationRules, instructions: string | undefined): string | null {
  if (!instructions) return null;
  const { maxInstructionsCharacters: max } = limits;
  if ([...instructions].length > max) {
    throw new Problem("invalid_request", {
      reason: `\`instructions\` are longer than ${max} characters. Shorten them.`,
    });
  }
  if (instructions.includes("\0")) {
    throw new Problem("invalid_request", { reason: "`instructions` contain a NUL character. Remove it." });
  }
  return instructions;
}
