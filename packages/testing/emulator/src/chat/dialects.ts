import { isJsonObject } from "@video-to-json/contract";
import { subschemas } from "../generate/generate-request.ts";
import { EarlyReply } from "../protocol/exchange.ts";

/** What a server of chat completions takes, and how it refuses the rest. */
export type Dialect = {
  /** The types of parts that it takes. */
  readonly parts: readonly string[];
  unknownPart(type: string): string;
  /** The refusal of a model that it does not serve; null if it answers with the model that it has. */
  unknownModel(model: string): string | null;
  /** Null if it cuts what does not fit. */
  tooLong(tokens: number): string | null;
  readonly maxPictures: number;
  /** How many pictures of a video it looks at, unless the question says otherwise. */
  readonly picturesOfVideo: number;
  /** The refusal of a schema, or null. */
  refusedSchema(schema: unknown): string | null;
};

export const contextTokens = 32_768;

/**
 * As measured with the engines and read in their sources: docs/local-models.md. Each refuses only what its server refuses.
 */
export const dialects = {
  vllm: {
    parts: ["text", "image_url", "video_url", "input_audio", "audio_url"],
    unknownPart: (type) => `Unknown part type: ${type}`,
    unknownModel: (model) => `The model \`${model}\` does not exist.`,
    tooLong: (tokens) =>
      `This model's maximum context length is ${contextTokens} tokens. However, you requested ${tokens} tokens. Please reduce the length of the input messages.`,
    maxPictures: 600,
    picturesOfVideo: 32,
    refusedSchema: (schema) =>
      hasPart(schema, ({ pattern }) => /\(\?[=!]/.test(String(pattern))) ? "Invalid grammar." : null,
  },
  "llama.cpp": {
    parts: ["text", "image_url", "input_audio", "input_video"],
    unknownPart: () => "unsupported content[].type",
    unknownModel: () => null,
    tooLong: (tokens) =>
      `request (${tokens} tokens) exceeds the available context size (${contextTokens} tokens), try increasing it`,
    maxPictures: Number.POSITIVE_INFINITY,
    picturesOfVideo: Number.POSITIVE_INFINITY,
    refusedSchema(schema) {
      if (hasPart(schema, ({ pattern }) => pattern !== undefined && !/^\^.*\$$/s.test(String(pattern))))
        return "JSON schema conversion failed: Pattern must start with '^' and end with '$'";
      const isLong = (limit: unknown) => typeof limit === "number" && limit > 2_000;
      const isRefused = ({ pattern, maxItems, maxLength }: Record<string, unknown>) =>
        /\\d/.test(String(pattern)) || isLong(maxItems) || isLong(maxLength);
      return hasPart(schema, isRefused) || hasBoolean(schema) ? "failed to parse grammar" : null;
    },
  },
  ollama: {
    parts: ["text", "image_url", "input_audio"],
    unknownPart: () => "invalid message format",
    unknownModel: (model) => `model "${model}" not found, try pulling it first`,
    tooLong: () => null,
    maxPictures: Number.POSITIVE_INFINITY,
    picturesOfVideo: Number.POSITIVE_INFINITY,
    refusedSchema: () => null,
  },
} as const satisfies Record<string, Dialect>;

export type DialectName = keyof typeof dialects;

function hasPart(schema: unknown, test: (schema: Record<string, unknown>) => boolean): boolean {
  if (!isJsonObject(schema)) return false;
  return test(schema) || subschemas(schema).some(([, inside]) => hasPart(inside, test));
}

/** `additionalProperties` may be a boolean everywhere. */
function hasBoolean(schema: unknown): boolean {
  if (!isJsonObject(schema)) return false;
  return subschemas(schema).some(
    ([path, inside]) => (typeof inside === "boolean" && path !== "additionalProperties") || hasBoolean(inside),
  );
}

/** Returns a refusal in the form that all of these servers share. */
export function refuse(status: number, message: string): EarlyReply {
  return new EarlyReply({ status, json: { error: { message, type: "invalid_request_error", code: status } } }, message);
}
