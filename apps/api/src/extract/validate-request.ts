import { type Limits, Problem } from "@video-to-json/contract";
import { checkVideoUrl } from "@video-to-json/media";
import type { ExtractRequest, Received } from "./extract-request.ts";

type Rules = { limits: Pick<Limits, "maxInstructionsCharacters">; fetchAllowHosts: readonly string[] };

/**
 * Judges what came in, in the order of docs/decisions/0001, "Order of checks": the schema (compiled by now), then the
 * video, then the rest. Throws schema_missing, video_missing, invalid_request or video_unreachable.
 */
export function validateRequest(rules: Rules, received: Received): ExtractRequest {
  const { schema, upload, hasFile } = received;
  const videoUrl = received.videoUrl?.trim() || undefined;
  if (!schema) throw new Problem("schema_missing", {});
  if (hasFile && videoUrl) {
    throw new Problem("invalid_request", { reason: "The request has both `video` and `video_url`. Send one of them." });
  }
  if (!upload && !videoUrl) {
    throw new Problem("video_missing", { accepted: "file or URL" });
  }
  const instructions = judgeInstructions(rules, received.instructions);
  if (upload) return { schema, instructions, video: { upload } };
  return {
    schema,
    instructions,
    video: { url: checkVideoUrl(videoUrl ?? "", { allowHosts: rules.fetchAllowHosts }).href },
  };
}

function judgeInstructions(rules: Rules, instructions: string | undefined): string | null {
  if (!instructions) return null;
  const most = rules.limits.maxInstructionsCharacters;
  if ([...instructions].length > most) {
    throw new Problem("invalid_request", {
      reason: `\`instructions\` are longer than ${most} characters. Shorten them.`,
    });
  }
  if (instructions.includes("\0")) {
    throw new Problem("invalid_request", { reason: "`instructions` contain a NUL character. Remove it." });
  }
  return instructions;
}
