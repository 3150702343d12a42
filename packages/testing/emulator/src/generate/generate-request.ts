import { readMessage } from "../protocol/message.ts";
import { checkContents } from "./check-contents.ts";
import { checkGenerationConfig } from "./check-generation-config.ts";
import { type Content, type GenerationConfig, textOf } from "./content.ts";
import type { Model } from "./models.ts";
import { generateContentRequest } from "./request-shapes.ts";
import { checkJsonSchema } from "./schema/check-json-schema.ts";
import { openApiToJsonSchema } from "./schema/open-api-schema.ts";
import type { SchemaBudget } from "./schema/schema-budget.ts";

/** A valid generateContent request. */
export type GenerateRequest = {
  model: Model;
  contents: Content[];
  systemText: string;
  config: GenerationConfig;
  /** The response schema as JSON Schema, whichever field it came in. */
  schema: Record<string, unknown> | undefined;
};

/** Reads the body of a generateContent request. Throws Gemini's refusals, in the order of Gemini's checks. */
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
  return { model, contents, systemText: textOf(system ? [system] : []), config, schema };
}
