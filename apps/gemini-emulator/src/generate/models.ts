import { ApiError } from "../protocol/api-error.ts";

/** A model that the service knows. */
export type Model = {
  id: string;
  generation: "2" | "3" | "4";
  tokensPerFrame: { low: number; medium: number; high: number };
  audioTokensPerSecond: number;
};

/** The models, and those that were added by name; they behave like the third generation. */
export function knownModels(added: readonly string[]): Map<string, Model> {
  const models = [
    ...["gemini-2.5-flash-lite", "gemini-2.5-flash", "gemini-2.5-pro"].map((id) => model(id, "2")),
    ...["gemini-3.1-pro-preview", "gemini-3.5-flash-lite", "gemini-3.8-flash"].map((id) => model(id, "3")),
    ...["gemini-4-argon", "gemini-4-carbon"].map((id) => model(id, "4")),
    ...added.map((id) => model(id, "3")),
  ];
  return new Map(models.map((entry) => [entry.id, entry]));
}

/** Throws the service's NOT_FOUND for a model that it does not know. */
export function findModel(models: ReadonlyMap<string, Model>, id: string, version: string): Model {
  const found = models.get(id);
  if (found) return found;
  const message = `models/${id} is not found for API version ${version}, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`;
  throw new ApiError(404, "NOT_FOUND", message);
}

/** The Model resource on the wire. */
export function modelResource({ id }: Model): object {
  return {
    name: `models/${id}`,
    version: "001",
    displayName: id,
    inputTokenLimit: contextTokens,
    outputTokenLimit: mostOutputTokens,
    supportedGenerationMethods: ["generateContent", "streamGenerateContent"],
  };
}

/** Most tokens of a request. */
export const contextTokens = 1_048_576;

/** Most tokens of an answer. */
export const mostOutputTokens = 65_536;

function model(id: string, generation: Model["generation"]): Model {
  return generation === "2"
    ? { id, generation, tokensPerFrame: { low: 66, medium: 258, high: 258 }, audioTokensPerSecond: 32 }
    : { id, generation, tokensPerFrame: { low: 70, medium: 70, high: 280 }, audioTokensPerSecond: 25 };
}
