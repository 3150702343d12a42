import { isJsonObject } from "@video-to-json/contract";
import { decodePointerStep } from "../answer/schema.ts";
import { type EarlyReply, invalidArgument } from "../protocol/exchange.ts";
import { type Message, readMessage } from "../protocol/message.ts";
import { generateContentRequest } from "../protocol/tables.ts";
import { type Model, outputTokenLimit } from "./answer-response.ts";

type Question = Message<typeof generateContentRequest>;

export type Content = NonNullable<Question["contents"]>[number];

export type Part = NonNullable<Content["parts"]>[number];

type GenerationConfig = NonNullable<Question["generationConfig"]>;

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
  const { contents = [], generationConfig: config = {}, systemInstruction: system } = message;
  // Gemini would store the question. The service must never let it.
  const unspoken = (["responseSchema", "_responseJsonSchema"] as const).find((name) => config[name] !== undefined);
  if (unspoken || message.cachedContent !== undefined)
    throw invalidArgument(`The emulator does not speak ${unspoken ?? "cachedContent"}.`);
  if (message.store !== false) throw invalidArgument("The emulator refuses questions without `store: false`.");
  checkGenerationConfig(config, model);
  checkContents(contents);
  const schema = config.responseJsonSchema;
  if (schema !== undefined) checkJsonSchema(schema);
  return { model, contents, systemText: textOf(system ? [system] : []), config, schema };
}

export function partsOf(contents: readonly Content[]): Part[] {
  return contents.flatMap(({ parts = [] }) => parts);
}

/** Returns the text parts of messages, one per line. */
export function textOf(contents: readonly Content[]): string {
  return partsOf(contents)
    .flatMap(({ text }) => (text === undefined ? [] : [text]))
    .join("\n");
}

const maxVideos = 10;
const maxFps = 24;

/** Throws Gemini's refusal of an invalid conversation. `findVideos` checks its files. */
function checkContents(contents: readonly Content[]): void {
  if (contents.length === 0) throw invalidArgument("* GenerateContentRequest.contents: contents is not specified\n");
  for (const [index, { role = "", parts = [] }] of contents.entries()) {
    const at = `* GenerateContentRequest.contents[${index}]`;
    if (!["", "user", "model"].includes(role)) throw invalidArgument("Please use a valid role: user, model.");
    if (parts.length === 0) throw invalidArgument(`${at}.parts: contents.parts must not be empty.\n`);
    for (const [place, part] of parts.entries()) checkPart(part, `${at}.parts[${place}]`);
  }
  if (contents.at(-1)?.role === "model")
    throw invalidArgument("Please ensure that the conversation ends with a turn of the user.");
  const videos = partsOf(contents).filter(({ fileData, inlineData }) => fileData ?? inlineData);
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
const oldSettings = ["candidateCount", "presencePenalty", "frequencyPenalty"] as const;

function checkGenerationConfig(config: GenerationConfig, { id, generation }: Model): void {
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

function invalid(field: string, reason: string): EarlyReply {
  return invalidArgument(`* GenerateContentRequest.generation_config.${field}: ${reason}`);
}

/** Gemini limits the depth and the states of a schema, but does not publish the limits. */
const maxDepth = 32;
const maxStates = 20_000;

type Node = Record<string, unknown>;

function checkJsonSchema(schema: unknown): asserts schema is Node {
  if (!isJsonObject(schema)) throw invalidSchema("", "must be an object");
  checkNode(schema, "", schema, 0);
  checkCycles(schema);
  if (statesOf(schema) > maxStates) throw tooManyStates();
}

/** Returns the definition that a `$ref` names, or undefined if the schema has no such definition. */
function resolveRef(root: Node, ref: unknown): Node | undefined {
  if (ref === "#") return root;
  const name = decodePointerStep((typeof ref === "string" ? /^#\/\$defs\/([^/]+)$/.exec(ref)?.[1] : undefined) ?? "");
  const target = isJsonObject(root.$defs) && Object.hasOwn(root.$defs, name) ? root.$defs[name] : undefined;
  return isJsonObject(target) ? target : undefined;
}

const types = ["string", "number", "integer", "boolean", "object", "array", "null"];

function checkNode(schema: unknown, at: string, root: Node, depth: number): void {
  if (typeof schema === "boolean") return;
  if (!isJsonObject(schema)) throw invalidSchema(at, "must be a schema");
  if (depth >= maxDepth)
    throw invalidArgument("A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth.");
  const { type, required, properties, $ref, enum: options = [""] } = schema;
  const unknown = (type === undefined ? [] : [type].flat()).find((name) => !types.includes(String(name)));
  if (unknown !== undefined) throw invalidSchema(`${at}/type`, `${JSON.stringify(unknown)} is not a type`);
  const isOption = (value: unknown) => typeof value === "string" || typeof value === "number";
  if (!(Array.isArray(options) && options.length > 0 && options.every(isOption)))
    throw invalidSchema(`${at}/enum`, "must be a list of strings or numbers");
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === "string")))
    throw invalidSchema(`${at}/required`, "must be a list of strings");
  if (properties !== undefined && !isJsonObject(properties))
    throw invalidSchema(`${at}/properties`, "must be an object");
  if ($ref !== undefined) {
    const sibling = Object.keys(schema).find((keyword) => !keyword.startsWith("$"));
    if (sibling !== undefined) throw invalidSchema(at, `$ref allows no sibling such as \`${sibling}\``);
    if (!resolveRef(root, $ref))
      throw invalidSchema(`${at}/$ref`, `${JSON.stringify($ref)} names nothing in the schema`);
  }
  for (const [path, inside] of subschemas(schema)) checkNode(inside, `${at}/${path}`, root, depth + 1);
}

/** Throws if a `$ref` leads back to itself in any other way than through an optional property. */
function checkCycles(root: Node): void {
  const done = new Set<object>();
  const follow = (schema: unknown, open: ReadonlySet<object>): void => {
    if (!isJsonObject(schema) || done.has(schema)) return;
    if (open.has(schema)) throw invalidSchema("", "$ref cycles are allowed only in properties that are not required");
    const visited = new Set(open).add(schema);
    const required = Array.isArray(schema.required) ? schema.required : [];
    if (schema.$ref !== undefined) follow(resolveRef(root, schema.$ref), visited);
    for (const [path, inside] of subschemas(schema)) {
      const [keyword = "", ...name] = path.split("/");
      const isOptional = keyword === "properties" && !required.includes(name.join("/"));
      const isMet = keyword !== "$defs" && keyword !== "additionalProperties" && !isOptional;
      if (isMet) follow(inside, visited);
    }
    done.add(schema);
  };
  const followAll = (schema: unknown): void => {
    follow(schema, new Set());
    if (isJsonObject(schema)) for (const [, inside] of subschemas(schema)) followAll(inside);
  };
  followAll(root);
}

/** Returns Gemini's refusal of a schema with too many states. */
export function tooManyStates(): EarlyReply {
  return invalidArgument(
    "The specified schema produces a constraint that has too many states for serving.  Typical causes of this error are schemas with lots of text (for example, very long property or enum names), schemas with long array length limits (especially when nested), or schemas using complex value matchers (for example, integers or numbers with minimum/maximum bounds or strings with complex formats like date-time)",
  );
}

/** An estimate that grows with what the refusal names: long names, array limits, nested above all, and value matchers. */
function statesOf(schema: unknown): number {
  if (!isJsonObject(schema)) return 1;
  let states = 1;
  if (Array.isArray(schema.enum)) for (const option of schema.enum) states += 1 + String(option).length;
  if (schema.minimum !== undefined || schema.maximum !== undefined) states += 40;
  if (schema.format !== undefined) states += 60;
  for (const [path, inside] of subschemas(schema)) {
    const times = path === "items" ? Math.max(1, Number(schema.maxItems ?? schema.minItems ?? 1) || 1) : 1;
    states += path.length + times * statesOf(inside);
  }
  return states;
}

/** Returns the direct subschemas of a schema, each with its path: `properties/name`, `anyOf/0`, `items`. */
export function subschemas(schema: Node): [path: string, subschema: unknown][] {
  return ["properties", "$defs", "anyOf", "oneOf", "prefixItems", "items", "additionalProperties"].flatMap(
    (keyword) => {
      const inside = schema[keyword];
      if (keyword === "items" || keyword === "additionalProperties")
        return Object.hasOwn(schema, keyword) ? [[keyword, inside] as [string, unknown]] : [];
      if (typeof inside !== "object" || inside === null) return [];
      return Object.entries(inside).map(([name, one]): [string, unknown] => [`${keyword}/${name}`, one]);
    },
  );
}

function invalidSchema(at: string, reason: string): EarlyReply {
  const field = `response_json_schema${at.replaceAll("/", ".")}`;
  return invalidArgument(`* GenerateContentRequest.generation_config.${field}: ${reason}\n`);
}
