import type { Evidence } from "../evidence/evidence.ts";
import { invalidArgument } from "../protocol/api-error.ts";
import { type PromptTokens, textTokens } from "./answer-response.ts";
import { type Part, textOf } from "./content.ts";
import type { GenerateRequest } from "./generate-request.ts";
import { inputTokenLimit } from "./models.ts";

/** Returns the tokens of a request as Gemini counts them, by frame and by second of sound. Throws above the model's limit. */
export function countTokens(
  request: GenerateRequest,
  videos: readonly { part: Part; evidence: Evidence }[],
): PromptTokens {
  const { model, config, contents, systemText } = request;
  const tokens = { text: textTokens(systemText + textOf(contents)), video: 0, audio: 0 };
  for (const { part, evidence } of videos) {
    const { fps = 1, startOffset = 0, endOffset = Number.POSITIVE_INFINITY } = part.videoMetadata ?? {};
    const seconds = Math.max(0, Math.min(evidence.durationMs / 1000, endOffset) - startOffset);
    const level = part.mediaResolution?.level ?? config.mediaResolution ?? "";
    const perFrame = model.tokensPerFrame[/LOW/.test(level) ? "low" : /HIGH/.test(level) ? "high" : "medium"];
    tokens.video += Math.ceil(seconds * fps) * perFrame;
    if (evidence.hasAudio) tokens.audio += Math.ceil(seconds) * model.audioTokensPerSecond;
  }
  if (tokens.text + tokens.video + tokens.audio > inputTokenLimit) {
    throw invalidArgument(`The input token count exceeds the maximum number of tokens allowed ${inputTokenLimit}.`);
  }
  return tokens;
}
