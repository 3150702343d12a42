import { invalidArgument } from "../protocol/api-error.ts";
import type { Content, GenerationConfig, Part } from "./generate-request.ts";
import { type Model, outputTokenLimit } from "./models.ts";

/** Throws Gemini's refusal of an invalid conversation. `findVideos` checks its files. */
export function checkContents(contents: readonly Content[], model: Model): void {
  if (contents.length === 0) throw invalidArgument("* GenerateContentRequest.contents: contents is not specified\n");
  for (const [index, { role, parts = [] }] of contents.entries()) {
    const at = `* GenerateContentRequest.contents[${index}]`;
    if (role !== undefined && role !== "" && role !== "user" && role !== "model") {
      throw invalidArgument("Please use a valid role: user, model.");
    }
    if (parts.length === 0) throw invalidArgument(`${at}.parts: contents.parts must not be empty.\n`);
    for (const [place, part] of parts.entries()) checkPart(part, `${at}.parts[${place}]`, model);
  }
  const videos = contents.flatMap(({ parts }) => parts).filter(({ fileData, inlineData }) => fileData ?? inlineData);
  if (videos.length > maxVideos) throw invalidArgument(`Please use fewer than ${maxVideos + 1} videos in a request.`);
}

const maxVideos = 10;
const maxFps = 24;
const data = ["text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "thought"];

function checkPart(part: Part, at: string, { generation }: Model): void {
  const given = data.filter((name) => Object.hasOwn(part, name));
  if (given.filter((name) => name !== "thought").length === 0) {
    throw invalidArgument(`${at}.data: required oneof field 'data' must have one initialized field\n`);
  }
  if (given.filter((name) => name !== "thought").length > 1) {
    throw invalidArgument(
      `Invalid value at '${at.slice("* GenerateContentRequest.".length)}' (oneof), oneof field 'data' is already set.`,
    );
  }
  if (part.fileData && !part.fileData.fileUri) throw invalidArgument(`${at}.file_data.file_uri: must be specified\n`);
  const { fps, startOffset, endOffset } = part.videoMetadata ?? {};
  if (fps !== undefined && !(fps > 0 && fps <= maxFps)) {
    throw invalidArgument(`${at}.video_metadata.fps: must be in the range (0, ${maxFps}].`);
  }
  if (startOffset !== undefined && endOffset !== undefined && startOffset >= endOffset) {
    throw invalidArgument("Request contains an invalid argument.");
  }
  if (part.mediaResolution && generation === "2") {
    throw invalidArgument("Media resolution per part is not supported for this model.");
  }
}

/** Throws Gemini's refusal of a generationConfig that is invalid for the model. */
export function checkGenerationConfig(config: GenerationConfig, model: Model): void {
  checkFormat(config);
  checkSampling(config, model);
  checkThinking(config, model);
  const { maxOutputTokens } = config;
  if (maxOutputTokens !== undefined && (maxOutputTokens < 1 || maxOutputTokens > outputTokenLimit)) {
    throw invalidArgument(
      `Unable to submit request because it has a maxOutputTokens value of ${maxOutputTokens} but the supported range is from 1 (inclusive) to ${outputTokenLimit + 1} (exclusive). Update the value and try again.`,
    );
  }
}

const mimeTypes = ["text/plain", "application/json", "application/xml", "application/yaml", "text/x.enum"];
const prefix = "* GenerateContentRequest.generation_config";

function checkFormat(config: GenerationConfig): void {
  const { responseMimeType = "", responseJsonSchema } = config;
  if (responseMimeType !== "" && !mimeTypes.includes(responseMimeType)) {
    const allowed = mimeTypes.map((type) => `\`${type}\``).join(", ");
    throw invalidArgument(`${prefix}.response_mime_type: allowed mimetypes are ${allowed}.`);
  }
  if (
    responseJsonSchema !== undefined &&
    responseMimeType !== "application/json" &&
    responseMimeType !== "text/x.enum"
  ) {
    throw invalidArgument(
      `${prefix}.response_mime_type: a response schema needs the response mimetype \`application/json\`.`,
    );
  }
}

function checkSampling(config: GenerationConfig, { id, generation }: Model): void {
  const { candidateCount, temperature, topP } = config;
  if (temperature !== undefined && (temperature < 0 || temperature > 2)) {
    throw invalidArgument(`${prefix}.temperature: must be in the range [0.0, 2.0].`);
  }
  if (topP !== undefined && (topP < 0 || topP > 1))
    throw invalidArgument(`${prefix}.top_p: must be in the range [0, 1].`);
  if (generation === "2") {
    if (candidateCount !== undefined && (candidateCount < 1 || candidateCount > 8)) {
      throw invalidArgument(`${prefix}.candidate_count: must be in the range [1, 8].`);
    }
    return;
  }
  const refused = ["candidateCount", "temperature", "topP", "topK", "presencePenalty", "frequencyPenalty"] as const;
  const named = refused.find((name) => config[name] !== undefined);
  if (named) throw invalidArgument(`${named} is not supported for ${id}.`);
}

function checkThinking({ thinkingConfig }: GenerationConfig, { id, generation }: Model): void {
  const { thinkingBudget, thinkingLevel } = thinkingConfig ?? {};
  if (thinkingBudget !== undefined && thinkingLevel !== undefined) {
    throw invalidArgument("You can only set only one of thinking budget and thinking level.");
  }
  if (thinkingLevel !== undefined && generation === "2") {
    throw invalidArgument("Thinking level is not supported for this model.");
  }
  if (thinkingBudget === 0 && generation !== "2") {
    throw invalidArgument("Budget 0 is invalid. This model only works in thinking mode.");
  }
  if (thinkingLevel === "MINIMAL" && /^gemini-(3\.[78]-flash|4-)/.test(id)) {
    throw invalidArgument("Thinking level MINIMAL is not supported for this model.");
  }
}
