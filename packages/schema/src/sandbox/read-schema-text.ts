import type { Limits } from "@video-to-json/contract";
import { type JsonNode, readJson } from "../json/read-json.ts";
import { childPointer, JsonError, shorten, wellFormed } from "../json/texts.ts";
import type { CompiledSchema } from "./compiled-schema.ts";

/** The limits on the text of a schema. */
export type SchemaLimits = Pick<Limits, "maxSchemaBytes" | "maxSchemaDepth" | "maxSchemaValues">;

/**
 * A compiled schema, or the details of a `schema_invalid`: at most 50 texts of at most 500 characters.
 */
export type Compilation = { compiled: CompiledSchema } | { details: string[] };

// A Problem keeps this many details of this length.
const maxDetails = 50;
const maxDetailLength = 500;

/** The parsed object of a schema's text. */
export type SchemaNode = Extract<JsonNode, { kind: "object" }>;

/** Reads the text of a schema as an object with at least one key, or returns the faults. */
export function readSchemaText(schemaText: string, limits: SchemaLimits): { node: SchemaNode } | { details: string[] } {
  let node: JsonNode;
  try {
    node = readJson(schemaText, { maxDepth: limits.maxSchemaDepth, maxValues: limits.maxSchemaValues });
  } catch (error) {
    if (error instanceof JsonError) return refuseText(error);
    throw error;
  }
  if (node.kind !== "object") {
    const text = "; this is a text: send the JSON alone, without quotes or a code fence around it";
    const wanted = ': must be an object: a sketch such as {"title": "string"}, or a JSON Schema';
    return refuse(`${wanted}${node.kind === "string" ? text : ""}`);
  }
  const key = findLoneSurrogateKey(node, "");
  if (key !== undefined) {
    return refuse(`${key}: is a key with half of a surrogate pair; write whole characters`);
  }
  if (isOpenApi(node)) {
    return refuse(
      ': is an OpenAPI document; add "$ref": "#/components/schemas/…" to its root to name the shape that you want',
    );
  }
  if (node.members.length === 0) return refuse(": is empty; name at least one key to extract");
  return { node };
}

/** A document that names its version, and no shape as its own. As a sketch it would ask the video for an interface. */
function isOpenApi({ members }: SchemaNode): boolean {
  const isVersion = ({ key, value }: SchemaNode["members"][number]) =>
    /^(?:openapi|swagger)$/.test(key) && value.kind === "string" && /^\d/.test(value.value);
  return members.some(isVersion) && !members.some(({ key }) => key === "$ref");
}

/** Returns the place of a key that UTF-8 cannot encode. A model cannot write it, and ajv cannot name it. */
function findLoneSurrogateKey(node: JsonNode, pointer: string): string | undefined {
  const inner: [string, JsonNode][] =
    node.kind === "object"
      ? node.members.map(({ key, value }) => [childPointer(pointer, key), value])
      : node.kind === "array"
        ? node.items.map((item, index) => [childPointer(pointer, index), item])
        : [];
  for (const [at, value] of inner) {
    const found = at.isWellFormed() ? findLoneSurrogateKey(value, at) : at;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the details of a `schema_invalid`, within their limits. */
export function refuse(...details: string[]): { details: string[] } {
  return { details: bounded(details) };
}

function refuseText({ reason, message }: JsonError): { details: string[] } {
  return refuse(
    reason === "syntax" ? `: ${message}; this is not valid JSON` : `: is too large: ${message}; ask for less at once`,
  );
}

/**
 * Limits the details inside the thread, because a pointer may be as long as the schema, and each value may have a
 * detail.
 */
function bounded(details: readonly string[]): string[] {
  return details.slice(0, maxDetails).map((detail) => shorten(wellFormed(detail), maxDetailLength));
}
