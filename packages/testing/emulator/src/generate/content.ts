import type { OpenApiSchema } from "./schema/open-api-schema.ts";

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
  responseSchema?: OpenApiSchema;
  responseJsonSchema?: unknown;
  _responseJsonSchema?: unknown;
  mediaResolution?: string;
  thinkingConfig?: { includeThoughts?: boolean; thinkingBudget?: number; thinkingLevel?: string };
};

/** Returns the text parts of messages, one per line. */
export function textOf(contents: readonly Content[]): string {
  return contents
    .flatMap(({ parts = [] }) => parts.flatMap(({ text }) => (text === undefined ? [] : [text])))
    .join("\n");
}
