import { type ApiError, invalidArgument } from "../protocol/reply.ts";
import type { Content, GenerationConfig, Part } from "./generate-request.ts";
import { type Model, outputTokenLimit } from "./models.ts";

const maxVideos = 10;
const maxFps = 24;

/** Throws Gemini's refusal of an invalid conversation. `findVideos` checks its files. */
export function checkContents(contents: readonly Content[]): void {
  if (contents.length === 0) throw invalidArgument("* GenerateContentRequest.contents: contents is not specified\n");
  for (const [index, { role = "", parts = [] }] of contents.entries()) {
    const at = `* GenerateContentRequest.contents[${index}]`;
    if (!["", "user", "model"].includes(role)) throw invalidArgument("Please use a valid role: user, model.");
    if (parts.length === 0) throw invalidArgument(`${at}.parts: contents.parts must not be empty.\n`);
    for (const [place, part] of parts.entries()) checkPart(part, `${at}.parts[${place}]`);
  }
  const videos = contents.flatMap(({ parts }) => parts).filter(({ fileData, inlineData }) => fileData ?? inlineData);
  if (videos.length > maxVideos) throw invalidArgument(`Please use fewer than ${maxVideos + 1} videos in a request.`);
}

const data = ["text", "inlineData", "fileData", "functionCall", "functionResponse"];

function checkPart(part: Part, at: string): void {
  const given = data.filter((name) => Object.hasOwn(part, name)).length;
  if (given === 0) throw invalidArgument(`${at}.data: required oneof field 'data' must have one initialized field\n`);
  if (given > 1) {
    const field = at.slice("* GenerateContentRequest.".length);
    throw invalidArgument(`Invalid value at '${field}' (oneof), oneof field 'data' is already set.`);
  }
  if (part.fileData && !part.fileData.fileUri) throw invalidArgument(`${at}.file_data.file_uri: must be specified\n`);
  const { fps = 1, startOffset = 0, endOffset = Number.POSITIVE_INFINITY } = part.videoMetadata ?? {};
  if (!(fps > 0 && fps <= maxFps))
    throw invalidArgument(`${at}.video_metadata.fps: must be in the range (0, ${maxFps}].`);
  if (startOffset >= endOffset) throw invalidArgument("Request contains an invalid argument.");
}

const mimeTypes = ["text/plain", "application/json", "application/xml", "application/yaml", "text/x.enum"];
/** Models of the third generation and later refuse these settings. */
const oldSettings = ["candidateCount", "temperature", "topP", "topK", "presencePenalty", "frequencyPenalty"] as const;

/** Throws Gemini's refusal of a generationConfig that is invalid for the model. */
export function checkGenerationConfig(config: GenerationConfig, { id, generation }: Model): void {
  const { responseMimeType = "", responseJsonSchema, temperature = 0, topP = 0, candidateCount = 1 } = config;
  const { thinkingBudget, thinkingLevel } = config.thinkingConfig ?? {};
  const { maxOutputTokens = 1 } = config;
  if (responseMimeType !== "" && !mimeTypes.includes(responseMimeType)) {
    const allowed = mimeTypes.map((type) => `\`${type}\``).join(", ");
    throw invalid("response_mime_type", `allowed mimetypes are ${allowed}.`);
  }
  if (responseJsonSchema !== undefined && !["application/json", "text/x.enum"].includes(responseMimeType))
    throw invalid("response_mime_type", "a response schema needs the response mimetype `application/json`.");
  if (temperature < 0 || temperature > 2) throw invalid("temperature", "must be in the range [0.0, 2.0].");
  if (topP < 0 || topP > 1) throw invalid("top_p", "must be in the range [0, 1].");
  if (candidateCount < 1 || candidateCount > 8) throw invalid("candidate_count", "must be in the range [1, 8].");
  const refused = oldSettings.find((name) => config[name] !== undefined);
  if (refused && generation !== "2") throw invalidArgument(`${refused} is not supported for ${id}.`);
  if (thinkingBudget !== undefined && thinkingLevel !== undefined)
    throw invalidArgument("You can only set only one of thinking budget and thinking level.");
  if (thinkingLevel !== undefined && generation === "2")
    throw invalidArgument("Thinking level is not supported for this model.");
  if (thinkingBudget === 0 && generation !== "2")
    throw invalidArgument("Budget 0 is invalid. This model only works in thinking mode.");
  if (thinkingLevel === "MINIMAL" && /^gemini-(3\.[78]-flash|4-)/.test(id))
    throw invalidArgument("Thinking level MINIMAL is not supported for this model.");
  if (maxOutputTokens < 1 || maxOutputTokens > outputTokenLimit) {
    throw invalidArgument(
      `Unable to submit request because it has a maxOutputTokens value of ${maxOutputTokens} but the supported range is from 1 (inclusive) to ${outputTokenLimit + 1} (exclusive). Update the value and try again.`,
    );
  }
}

function invalid(field: string, reason: string): ApiError {
  return invalidArgument(`* GenerateContentRequest.generation_config.${field}: ${reason}`);
}
