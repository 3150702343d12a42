import { readMessage } from "../protocol/message.ts";
import { checkContents } from "./check-contents.ts";
import { checkGenerationConfig } from "./check-generation-config.ts";
import type { Model } from "./models.ts";
import { generateContentRequest } from "./request-shapes.ts";
import { checkJsonSchema } from "./schema/check-json-schema.ts";
import { type OpenApiSchema, openApiToJsonSchema } from "./schema/open-api-schema.ts";
import type { SchemaBudget } from "./schema/schema-budget.ts";

/** A part of a message. */
export type Part = {
  text?: string;
  thought?: boolean;
  inlineData?: { mimeType?: string; data?: string };
  fileData?: { mimeType?: string; fileUri?: string };
  videoMetadata?: { startOffset?: number; endOffset?: number; fps?: number };
  mediaResolution?: { level?: string };
};

/** A message of the conversation. */
export type Content = { role?: string; parts: Part[] };

/** The settings of a generation, of which these matter here. */
export type GenerationConfig = {
  candidateCount?: number;
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  responseMimeType?: string;
  responseSchema?: OpenApiSchema;
  responseJsonSchema?: unknown;
  _responseJsonSchema?: unknown;
  mediaResolution?: string;
  thinkingConfig?: { includeThoughts?: boolean; thinkingBudget?: number; thinkingLevel?: string };
};

/** A request that the service would run. */
export type GenerateRequest = {
  model: Model;
  contents: Content[];
  systemText: string;
  config: GenerationConfig;
  /** The schema that the answer is held to, as JSON Schema, whichever field it came in. */
  schema: Record<string, unknown> | undefined;
};

/** Reads a generateContent body. Throws what the service refuses, in the order in which it looks. */
export function readGenerateRequest(
  body: Record<string, unknown>,
  model: Model,
  budget: SchemaBudget,
): GenerateRequest {
  const message = readMessage(generateContentRequest, body);
  const contents = (message.contents ?? []) as Content[];
  const config = (message.generationConfig ?? {}) as GenerationConfig;
  const system = message.systemInstruction as Content | undefined;
  checkGenerationConfig(config, model);
  checkContents(contents, model);
  const jsonSchema = config.responseJsonSchema ?? config._responseJsonSchema;
  const schema = config.responseSchema ? openApiToJsonSchema(config.responseSchema) : jsonSchema;
  if (schema !== undefined) checkJsonSchema(schema, budget);
  return {
    model,
    contents,
    systemText: textOf(system ? [system] : []),
    config,
    schema: schema as Record<string, unknown> | undefined,
  };
}

/** The text of messages, part after part. */
export function textOf(contents: readonly Content[]): string {
  return contents
    .flatMap(({ parts = [] }) => parts.flatMap(({ text }) => (text === undefined ? [] : [text])))
    .join("\n");
}
