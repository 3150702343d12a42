import type { Evidence } from "../evidence/evidence.ts";
import { invalidArgument } from "../protocol/api-error.ts";
import { type PromptTokens, textTokens } from "./answer-response.ts";
import { type GenerateRequest, type Part, textOf } from "./generate-request.ts";
import { contextTokens } from "./models.ts";

/** Tokens of a request as the service counts them: so many a frame, so many a second of sound. Throws past its limit. */
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
  if (tokens.text + tokens.video + tokens.audio > contextTokens) {
    throw invalidArgument(`The input token count exceeds the maximum number of tokens allowed ${contextTokens}.`);
  }
  return tokens;
}
