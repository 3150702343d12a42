import { jsonSchemaKeys } from "@video-to-json/contract/sketch-language/words";
import { type JsonNode, readJson } from "./json/read-json.ts";
import { JsonError } from "./json/texts.ts";

const tellingKeys: ReadonlySet<string> = new Set(jsonSchemaKeys);

/** Returns whether a root is a JSON Schema and not a sketch (specification, "Telling them apart"). */
export function isJsonSchema(root: Extract<JsonNode, { kind: "object" }>): boolean {
  return root.members.some(({ key }) => tellingKeys.has(key));
}

const bounds = { maxDepth: 1_000, maxValues: 100_000 };

/** Returns whether a text is read as a sketch. It takes a text that is not a JSON object for an unfinished sketch. */
export function isSketch(schemaText: string): boolean {
  try {
    const root = readJson(schemaText.replace(/^\uFEFF/, ""), bounds);
    return root.kind !== "object" || !isJsonSchema(root);
  } catch (error) {
    if (error instanceof JsonError) return true;
    throw error;
  }
}
