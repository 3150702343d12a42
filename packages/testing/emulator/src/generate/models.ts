import type { Evidence } from "../evidence/evidence.ts";
import { ApiError, invalidArgument } from "../protocol/api-error.ts";
import { type GenerateRequest, type Part, textOf } from "./generate-request.ts";

/** A model that Gemini offers. */
export type Model = { id: string; generation: "2" | "3" | "4" };

/** Returns the models by id. Additional ids behave like models of the third generation. */
export function knownModels(added: readonly string[]): Map<string, Model> {
  const models: Record<Model["generation"], readonly string[]> = {
    2: ["gemini-2.5-flash-lite", "gemini-2.5-flash", "gemini-2.5-pro"],
    3: ["gemini-3.1-pro-preview", "gemini-3.5-flash-lite", "gemini-3.8-flash", ...added],
    4: ["gemini-4-argon", "gemini-4-carbon"],
  };
  const generations = Object.keys(models) as Model["generation"][];
  return new Map(generations.flatMap((generation) => models[generation].map((id) => [id, { id, generation }])));
}

/** Returns a model. Throws NOT_FOUND for an unknown id. */
export function findModel(models: ReadonlyMap<string, Model>, id: string, version: string): Model {
  const found = models.get(id);
  if (found) return found;
  const message = `models/${id} is not found for API version ${version}, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`;
  throw new ApiError(404, "NOT_FOUND", message);
}

/** Returns the Model resource on the wire. */
export function modelResource({ id }: Model): object {
  const supportedGenerationMethods = ["generateContent"];
  return { name: `models/${id}`, displayName: id, inputTokenLimit, outputTokenLimit, supportedGenerationMethods };
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
    const level = part.mediaResolution?.level ?? config.mediaResolution ?? "";
    const perFrame = isOld ? (/LOW/.test(level) ? 66 : 258) : /HIGH/.test(level) ? 280 : 70;
    tokens.video += Math.ceil(seconds * fps) * perFrame;
    if (evidence.hasAudio) tokens.audio += Math.ceil(seconds) * (isOld ? 32 : 25);
  }
  if (tokens.text + tokens.video + tokens.audio > inputTokenLimit)
    throw invalidArgument(`The input token count exceeds the maximum number of tokens allowed ${inputTokenLimit}.`);
  return tokens;
}
