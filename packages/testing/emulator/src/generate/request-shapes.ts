import type { Shape } from "../protocol/message.ts";

/** The GenerateContentRequest of v1beta, with every field that Gemini accepts. */
export const generateContentRequest: Shape = {
  model: { type: "string" },
  systemInstruction: { type: () => content },
  contents: { type: () => content, repeated: true },
  tools: { type: "any", repeated: true },
  toolConfig: { type: "any" },
  safetySettings: { type: () => safetySetting, repeated: true },
  generationConfig: { type: () => generationConfig },
  cachedContent: { type: "string" },
  serviceTier: { type: "string" },
  store: { type: "bool" },
};

const content: Shape = { parts: { type: () => part, repeated: true }, role: { type: "string" } };

const part: Shape = {
  text: { type: "string" },
  inlineData: { type: () => ({ mimeType: { type: "string" }, data: { type: "bytes" } }) },
  fileData: { type: () => ({ mimeType: { type: "string" }, fileUri: { type: "string" } }) },
  functionCall: { type: "any" },
  functionResponse: { type: "any" },
  executableCode: { type: "any" },
  codeExecutionResult: { type: "any" },
  toolCall: { type: "any" },
  toolResponse: { type: "any" },
  thought: { type: "bool" },
  thoughtSignature: { type: "bytes" },
  partMetadata: { type: "any" },
  videoMetadata: {
    type: () => ({ startOffset: { type: "duration" }, endOffset: { type: "duration" }, fps: { type: "float" } }),
  },
  mediaResolution: { type: () => ({ level: { type: mediaResolutions }, numTokens: { type: "int32" } }) },
};

const mediaResolutions = [
  "MEDIA_RESOLUTION_UNSPECIFIED",
  "MEDIA_RESOLUTION_LOW",
  "MEDIA_RESOLUTION_MEDIUM",
  "MEDIA_RESOLUTION_HIGH",
  "MEDIA_RESOLUTION_ULTRA_HIGH",
] as const;

const safetySetting: Shape = {
  category: {
    type: [
      "HARM_CATEGORY_UNSPECIFIED",
      "HARM_CATEGORY_HARASSMENT",
      "HARM_CATEGORY_HATE_SPEECH",
      "HARM_CATEGORY_SEXUALLY_EXPLICIT",
      "HARM_CATEGORY_DANGEROUS_CONTENT",
      "HARM_CATEGORY_CIVIC_INTEGRITY",
    ],
  },
  threshold: {
    type: [
      "HARM_BLOCK_THRESHOLD_UNSPECIFIED",
      "BLOCK_LOW_AND_ABOVE",
      "BLOCK_MEDIUM_AND_ABOVE",
      "BLOCK_ONLY_HIGH",
      "BLOCK_NONE",
      "OFF",
    ],
  },
};

const generationConfig: Shape = {
  candidateCount: { type: "int32" },
  stopSequences: { type: "string", repeated: true },
  maxOutputTokens: { type: "int32" },
  temperature: { type: "float" },
  topP: { type: "float" },
  topK: { type: "int32" },
  seed: { type: "int32" },
  responseMimeType: { type: "string" },
  responseSchema: { type: () => schema },
  responseJsonSchema: { type: "any" },
  _responseJsonSchema: { type: "any" },
  presencePenalty: { type: "float" },
  frequencyPenalty: { type: "float" },
  responseLogprobs: { type: "bool" },
  logprobs: { type: "int32" },
  enableEnhancedCivicAnswers: { type: "bool" },
  responseModalities: { type: ["MODALITY_UNSPECIFIED", "TEXT", "IMAGE", "AUDIO"], repeated: true },
  speechConfig: { type: "any" },
  imageConfig: { type: "any" },
  mediaResolution: { type: mediaResolutions },
  thinkingConfig: {
    type: () => ({
      includeThoughts: { type: "bool" },
      thinkingBudget: { type: "int32" },
      thinkingLevel: { type: ["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"] },
    }),
  },
};

const schema: Shape = {
  type: { type: ["TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"] },
  format: { type: "string" },
  title: { type: "string" },
  description: { type: "string" },
  nullable: { type: "bool" },
  enum: { type: "string", repeated: true },
  items: { type: () => schema },
  minItems: { type: "int64" },
  maxItems: { type: "int64" },
  properties: { type: () => schema, map: true },
  required: { type: "string", repeated: true },
  minProperties: { type: "int64" },
  maxProperties: { type: "int64" },
  minimum: { type: "float" },
  maximum: { type: "float" },
  minLength: { type: "int64" },
  maxLength: { type: "int64" },
  pattern: { type: "string" },
  example: { type: "any" },
  anyOf: { type: () => schema, repeated: true },
  propertyOrdering: { type: "string", repeated: true },
  default: { type: "any" },
};
