import { readMessage, type Shape } from "../protocol/message.ts";
import { checkContents, checkGenerationConfig, checkJsonSchema } from "./check-request.ts";
import type { Model } from "./models.ts";

/** A part of a message. */
export type Part = {
  text?: string;
  thought?: boolean;
  inlineData?: { mimeType?: string; data?: string };
  fileData?: { mimeType?: string; fileUri?: string };
  videoMetadata?: { startOffset?: number; endOffset?: number; fps?: number };
};

/** A message of the conversation. */
export type Content = { role?: string; parts: Part[] };

/** The generation settings that change the answer here. */
export type GenerationConfig = {
  candidateCount?: number;
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  responseMimeType?: string;
  responseJsonSchema?: unknown;
  mediaResolution?: string;
  thinkingConfig?: { includeThoughts?: boolean; thinkingBudget?: number; thinkingLevel?: string };
};

/** A valid generateContent request. */
export type GenerateRequest = {
  model: Model;
  contents: Content[];
  systemText: string;
  config: GenerationConfig;
  schema: Record<string, unknown> | undefined;
};

/** Reads the body of a generateContent request. Throws Gemini's refusals, in the order of Gemini's checks. */
export function readGenerateRequest(body: Record<string, unknown>, model: Model): GenerateRequest {
  const message = readMessage(generateContentRequest, body);
  const contents = (message.contents ?? []) as Content[];
  const config = (message.generationConfig ?? {}) as GenerationConfig;
  const system = message.systemInstruction as Content | undefined;
  checkGenerationConfig(config, model);
  checkContents(contents);
  const schema = config.responseJsonSchema;
  if (schema !== undefined) checkJsonSchema(schema);
  return { model, contents, systemText: textOf(system ? [system] : []), config, schema };
}

/** Returns the text parts of messages, one per line. */
export function textOf(contents: readonly Content[]): string {
  const parts = contents.flatMap((content) => content.parts ?? []);
  return parts.flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n");
}

const mediaResolutions = ["LOW", "MEDIUM", "HIGH", "ULTRA_HIGH"].map((level) => `MEDIA_RESOLUTION_${level}`);

const part: Shape = {
  text: { type: "string" },
  inlineData: { type: () => ({ mimeType: { type: "string" }, data: { type: "bytes" } }) },
  fileData: { type: () => ({ mimeType: { type: "string" }, fileUri: { type: "string" } }) },
  functionCall: { type: "any" },
  functionResponse: { type: "any" },
  thought: { type: "bool" },
  thoughtSignature: { type: "bytes" },
  videoMetadata: {
    type: () => ({ startOffset: { type: "duration" }, endOffset: { type: "duration" }, fps: { type: "float" } }),
  },
};

const content: Shape = { parts: { type: () => part, repeated: true }, role: { type: "string" } };

const generationConfig: Shape = {
  candidateCount: { type: "int32" },
  stopSequences: { type: "string", repeated: true },
  maxOutputTokens: { type: "int32" },
  temperature: { type: "float" },
  topP: { type: "float" },
  topK: { type: "int32" },
  seed: { type: "int32" },
  responseMimeType: { type: "string" },
  responseJsonSchema: { type: "any" },
  presencePenalty: { type: "float" },
  frequencyPenalty: { type: "float" },
  mediaResolution: { type: mediaResolutions },
  thinkingConfig: {
    type: () => ({
      includeThoughts: { type: "bool" },
      thinkingBudget: { type: "int32" },
      thinkingLevel: { type: ["MINIMAL", "LOW", "MEDIUM", "HIGH"] },
    }),
  },
};

const generateContentRequest: Shape = {
  model: { type: "string" },
  systemInstruction: { type: () => content },
  contents: { type: () => content, repeated: true },
  tools: { type: "any", repeated: true },
  safetySettings: { type: "any", repeated: true },
  generationConfig: { type: () => generationConfig },
};
