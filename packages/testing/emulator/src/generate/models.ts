import { ApiError } from "../protocol/api-error.ts";

/** A model that Gemini offers. */
export type Model = {
  id: string;
  generation: "2" | "3" | "4";
  tokensPerFrame: { low: number; medium: number; high: number };
  audioTokensPerSecond: number;
};

/** Returns the models by id. Additional ids behave like models of the third generation. */
export function knownModels(added: readonly string[]): Map<string, Model> {
  const models = [
    ...["gemini-2.5-flash-lite", "gemini-2.5-flash", "gemini-2.5-pro"].map((id) => model(id, "2")),
    ...["gemini-3.1-pro-preview", "gemini-3.5-flash-lite", "gemini-3.8-flash"].map((id) => model(id, "3")),
    ...["gemini-4-argon", "gemini-4-carbon"].map((id) => model(id, "4")),
    ...added.map((id) => model(id, "3")),
  ];
  return new Map(models.map((entry) => [entry.id, entry]));
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
  return {
    name: `models/${id}`,
    version: "001",
    displayName: id,
    inputTokenLimit,
    outputTokenLimit,
    supportedGenerationMethods: ["generateContent", "streamGenerateContent"],
  };
}

/** The maximum tokens of a request. */
export const inputTokenLimit = 1_048_576;

/** The maximum tokens of an answer. */
export const outputTokenLimit = 65_536;

function model(id: string, generation: Model["generation"]): Model {
  return generation === "2"
    ? { id, generation, tokensPerFrame: { low: 66, medium: 258, high: 258 }, audioTokensPerSecond: 32 }
    : { id, generation, tokensPerFrame: { low: 70, medium: 70, high: 280 }, audioTokensPerSecond: 25 };
}
