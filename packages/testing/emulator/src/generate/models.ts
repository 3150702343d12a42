import type { Evidence } from "../evidence/evidence.ts";
import { ApiError, invalidArgument } from "../protocol/reply.ts";
import { type GenerateRequest, type Part, textOf } from "./generate-request.ts";

/** A model that Gemini offers. */
export type Model = { id: string /** The third generation or a later one. */; generation: "2" | "3" };

const models: readonly Model[] = [
  ...["gemini-2.5-flash-lite", "gemini-2.5-flash", "gemini-2.5-pro"].map((id) => ({ id, generation: "2" as const })),
  ...["gemini-3.1-pro-preview", "gemini-3.5-flash-lite", "gemini-3.8-flash", "gemini-4-argon", "gemini-4-carbon"].map(
    (id) => ({ id, generation: "3" as const }),
  ),
];

/** Returns a model. Throws NOT_FOUND for an unknown id. */
export function findModel(id: string, version: string): Model {
  const found = models.find((model) => model.id === id);
  if (found) return found;
  const message = `models/${id} is not found for API version ${version}, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`;
  throw new ApiError(404, "NOT_FOUND", message);
}

const inputTokenLimit = 1_048_576;

/** The maximum tokens of an answer. */
export const outputTokenLimit = 65_536;

/** The tokens of the prompt by modality. */
export type PromptTokens = { text: number; video: number; audio: number };

/** Returns the tokens of a text, at four characters a token. */
export function textTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Returns the tokens of a request as Gemini counts them, by frame and by second of sound. Throws above the model's limit. */
export function countTokens(
  { model, config, contents, systemText }: GenerateRequest,
  videos: readonly { part: Part; evidence: Evidence }[],
): PromptTokens {
  const isOld = model.generation === "2";
  const tokens = { text: textTokens(systemText + textOf(contents)), video: 0, audio: 0 };
  for (const { part, evidence } of videos) {
    const { fps = 1, startOffset = 0, endOffset = Number.POSITIVE_INFINITY } = part.videoMetadata ?? {};
    const seconds = Math.max(0, Math.min(evidence.durationMs / 1000, endOffset) - startOffset);
    const level = config.mediaResolution ?? "";
    const perFrame = isOld ? (/LOW/.test(level) ? 66 : 258) : /HIGH/.test(level) ? 280 : 70;
    tokens.video += Math.ceil(seconds * fps) * perFrame;
    if (evidence.hasAudio) tokens.audio += Math.ceil(seconds) * (isOld ? 32 : 25);
  }
  if (tokens.text + tokens.video + tokens.audio > inputTokenLimit)
    throw invalidArgument(`The input token count exceeds the maximum number of tokens allowed ${inputTokenLimit}.`);
  return tokens;
}
