import { isJsonSchema } from "./is-json-schema.ts";
import { JsonError } from "./json/json-error.ts";
import { readJson } from "./json/read-json.ts";

const bounds = { maxDepth: 1_000, maxValues: 100_000 };

/** Returns whether a text is read as a sketch. A text that is not a JSON object counts as an unfinished sketch. */
export function isSketch(schemaText: string): boolean {
  try {
    const root = readJson(schemaText.replace(/^\uFEFF/, ""), bounds);
    return root.kind !== "object" || !isJsonSchema(root);
  } catch (error) {
    if (error instanceof JsonError) return true;
    throw error;
  }
}
