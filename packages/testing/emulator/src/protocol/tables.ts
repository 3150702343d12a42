/**
 * The messages of Google's published protocol files (google/ai/generativelanguage/v1beta: content.proto, file.proto,
 * generative_service.proto) and the members that its reference adds: names, types and enums. `any` means: neither the
 * service nor the emulator uses it.
 */
const levels = ["UNSPECIFIED", "LOW", "MEDIUM", "HIGH"].map((level) => `MEDIA_RESOLUTION_${level}`);

const blob = { mimeType: "string", data: "bytes" } as const;
const part = {
  text: "string",
  inlineData: blob,
  fileData: { mimeType: "string", fileUri: "string" },
  functionCall: "any",
  functionResponse: "any",
  executableCode: "any",
  codeExecutionResult: "any",
  thought: "bool",
  thoughtSignature: "bytes",
  partMetadata: "any",
  videoMetadata: { startOffset: "duration", endOffset: "duration", fps: "float" },
  mediaResolution: { level: { oneOf: [...levels, "MEDIA_RESOLUTION_ULTRA_HIGH"] } },
  mediaProcessing: "string",
} as const;

const content = { parts: [part], role: "string" } as const;

const generationConfig = {
  candidateCount: "int32",
  stopSequences: ["string"],
  maxOutputTokens: "int32",
  temperature: "float",
  topP: "float",
  topK: "int32",
  seed: "int32",
  responseMimeType: "string",
  responseSchema: "any",
  responseJsonSchema: "any",
  _responseJsonSchema: "any",
  presencePenalty: "float",
  frequencyPenalty: "float",
  responseLogprobs: "bool",
  logprobs: "int32",
  enableEnhancedCivicAnswers: "bool",
  responseModalities: ["string"],
  speechConfig: "any",
  imageConfig: "any",
  mediaResolution: { oneOf: levels },
  thinkingConfig: {
    includeThoughts: "bool",
    thinkingBudget: "int32",
    thinkingLevel: { oneOf: ["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"] },
  },
} as const;

export const generateContentRequest = {
  model: "string",
  systemInstruction: content,
  contents: [content],
  tools: ["any"],
  toolConfig: "any",
  safetySettings: ["any"],
  generationConfig,
  cachedContent: "string",
  serviceTier: { oneOf: ["UNSPECIFIED", "STANDARD", "FLEX", "PRIORITY"] },
  store: "bool",
} as const;

const tokenCounts = [
  {
    modality: { oneOf: ["MODALITY_UNSPECIFIED", "TEXT", "IMAGE", "VIDEO", "AUDIO", "DOCUMENT"] },
    tokenCount: "int32",
  },
] as const;

const finishReasons = [
  ...["FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "LANGUAGE", "OTHER", "BLOCKLIST"],
  ...["PROHIBITED_CONTENT", "SPII", "MALFORMED_FUNCTION_CALL", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT"],
  ...["IMAGE_OTHER", "NO_IMAGE", "IMAGE_RECITATION", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"],
];

const generateContentResponse = {
  candidates: [
    {
      index: "int32",
      content,
      finishReason: { oneOf: finishReasons },
      finishMessage: "string",
      safetyRatings: ["any"],
      citationMetadata: "any",
      tokenCount: "int32",
      groundingAttributions: ["any"],
      groundingMetadata: "any",
      avgLogprobs: "float",
      logprobsResult: "any",
      urlContextMetadata: "any",
    },
  ],
  promptFeedback: {
    blockReason: {
      oneOf: [...["BLOCK_REASON_UNSPECIFIED", "SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY"]],
    },
    safetyRatings: ["any"],
  },
  usageMetadata: {
    promptTokenCount: "int32",
    cachedContentTokenCount: "int32",
    candidatesTokenCount: "int32",
    toolUsePromptTokenCount: "int32",
    thoughtsTokenCount: "int32",
    totalTokenCount: "int32",
    promptTokensDetails: tokenCounts,
    cacheTokensDetails: tokenCounts,
    candidatesTokensDetails: tokenCounts,
    toolUsePromptTokensDetails: tokenCounts,
    serviceTier: "string",
  },
  modelVersion: "string",
  responseId: "string",
  modelStatus: "any",
} as const;

const status = { code: "int32", message: "string", details: ["any"] } as const;

const file = {
  name: "string",
  displayName: "string",
  mimeType: "string",
  sizeBytes: "int64",
  createTime: "timestamp",
  updateTime: "timestamp",
  expirationTime: "timestamp",
  sha256Hash: "bytes",
  uri: "string",
  downloadUri: "string",
  state: { oneOf: ["STATE_UNSPECIFIED", "PROCESSING", "ACTIVE", "FAILED"] },
  source: { oneOf: ["SOURCE_UNSPECIFIED", "UPLOADED", "GENERATED", "REGISTERED"] },
  error: status,
  videoMetadata: { videoDuration: "duration" },
} as const;

export const createFileRequest = { file } as const;

/** The replies by operation. A chunk that does not end its upload has none. */
export const replies = {
  generate: generateContentResponse,
  chunk: { file },
  get: file,
  list: { files: [file], nextPageToken: "string" },
  delete: {},
} as const;

/** What every operation answers when it refuses. */
export const refusalReply = { error: { ...status, status: "string" } } as const;
