import { invalidArgument } from "../protocol/api-error.ts";
import type { Content, Part } from "./content.ts";
import type { Model } from "./models.ts";

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
