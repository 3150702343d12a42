import { jsonSchemaKeys } from "@video-to-json/contract/sketch-language/words";
import type { JsonNode } from "./json/read-json.ts";

const tellingKeys: ReadonlySet<string> = new Set(jsonSchemaKeys);

/** Returns whether a root is a JSON Schema and not a sketch (specification, "Telling them apart"). */
export function isJsonSchema(root: Extract<JsonNode, { kind: "object" }>): boolean {
  return root.members.some(({ key }) => tellingKeys.has(key));
}
