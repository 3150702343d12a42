import { type JsonNode, readJson } from "../json/read-json.ts";
import { JsonError, shorten, wellFormed } from "../json/texts.ts";
import type { CompiledSchema } from "../sandbox/compiled-schema.ts";
import { isJsonSchema } from "../sketch-or-schema.ts";
import { jsonSchemaWarnings } from "./json-schema-warnings.ts";
import type { SchemaWarning } from "./schema-warning.ts";
import { sketchWarnings } from "./sketch-warnings.ts";

const maxWarnings = 20;
const maxLength = 300;
const bounds = { maxDepth: 64, maxValues: 10_000 };

/**
 * Returns the doubts about a schema. A strict request is refused for one (docs/decisions/0001, "Sketch guards"). It
 * compiles nothing and needs no sandbox. Returns an empty list for a text that is not a schema.
 *
 * @returns at most 20 warnings with texts of at most 300 characters.
 */
export function schemaWarnings(schemaText: string): SchemaWarning[] {
  const root = rootOf(schemaText.replace(/^\uFEFF/, ""));
  return root ? doubtsAbout(root) : [];
}

/** Returns the doubts about a schema as a member of its compiled form; an empty object without doubts. */
export function warningsOf(root: JsonNode): Pick<CompiledSchema, "warnings"> {
  const warnings = doubtsAbout(root);
  return warnings.length > 0 ? { warnings } : {};
}

function doubtsAbout(root: JsonNode): SchemaWarning[] {
  if (root.kind !== "object" || root.members.length === 0) return [];
  const warnings = isJsonSchema(root) ? jsonSchemaWarnings(root) : sketchWarnings(root);
  return warnings.slice(0, maxWarnings).map(({ path, message, hint }) => ({
    path: bounded(path),
    message: bounded(message),
    hint: bounded(hint),
  }));
}

/** Returns the warning that no answer can conform to a compiled schema; an empty list if one may. */
export function impossibleWarning({ impossible }: Pick<CompiledSchema, "impossible">): SchemaWarning[] {
  if (impossible === undefined) return [];
  const message = `No answer can conform to this schema: ${bounded(impossible)}. A job with it fails without a question to the model.`;
  return [{ path: "", message, hint: "loosen what this place of an answer has to meet" }];
}

function rootOf(text: string): JsonNode | undefined {
  try {
    return readJson(text, bounds);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

function bounded(text: string): string {
  return shorten(wellFormed(text), maxLength);
}
