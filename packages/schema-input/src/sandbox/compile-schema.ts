import type { Limits } from "@video-to-json/contract";
import { isJsonSchema } from "../is-json-schema.ts";
import { JsonError } from "../json/json-error.ts";
import { childPointer } from "../json/pointer.ts";
import { type JsonNode, readJson } from "../json/read-json.ts";
import { trimSpace } from "../json/scan.ts";
import { shorten, wellFormed } from "../json/well-formed.ts";
import { writeJson } from "../json/write-json.ts";
import type { SchemaReader } from "../json-schema/schema-reader.ts";
import { compileValidator } from "../json-schema/validator.ts";
import { jsonSchemaToLean } from "../lean/json-schema-to-lean.ts";
import { withinLeanBounds } from "../lean/lean-bounds.ts";
import type { SchemaDialect } from "../lean/schema-dialect.ts";
import { sketchToLean } from "../lean/sketch-to-lean.ts";
import { readSketch } from "../sketch/read-sketch.ts";
import { refusedTexts } from "../sketch/refused-texts.ts";
import { sketchToJsonSchema } from "../sketch/sketch-to-json-schema.ts";
import type { CompiledSchema } from "./compiled-schema.ts";

/** The limits on the text of a schema. */
export type SchemaLimits = Pick<Limits, "maxSchemaBytes" | "maxSchemaDepth" | "maxSchemaValues">;

/**
 * A compiled schema, or the details of a `schema_invalid`: at most 50 texts of at most 500 characters.
 */
export type Compilation = { compiled: CompiledSchema } | { details: string[] };

const maxDescribedCharacters = 64 * 1024;
// A Problem keeps as many details, of the same length.
const maxDetails = 50;
const maxDetailLength = 500;

/**
 * Compiles a sketch or a JSON Schema (specification, "Schema input"). It also compiles the validator, so that an
 * accepted schema can check answers. For use inside the sandbox only. Throws `RangeError` when the stack overflows.
 */
export function compileSchema(
  reader: SchemaReader,
  schemaText: string,
  limits: SchemaLimits,
  dialect: SchemaDialect | null,
): Compilation {
  try {
    return readAndCompile(reader, schemaText, limits, dialect);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return refuse(": cannot be compiled; use simpler keywords, or write a sketch");
  }
}

function readAndCompile(
  reader: SchemaReader,
  schemaText: string,
  limits: SchemaLimits,
  dialect: SchemaDialect | null,
): Compilation {
  let node: JsonNode;
  try {
    node = readJson(schemaText, { maxDepth: limits.maxSchemaDepth, maxValues: limits.maxSchemaValues });
  } catch (error) {
    if (error instanceof JsonError) return refuseText(error);
    throw error;
  }
  if (node.kind !== "object")
    return refuse(': must be an object: a sketch such as {"title": "string"}, or a JSON Schema');
  const key = findLoneSurrogateKey(node, "");
  if (key !== undefined) {
    return refuse(`${key}: is a key with half of a surrogate pair; write whole characters`);
  }
  if (node.members.length === 0) return refuse(": is empty; name at least one key to extract");
  if (isJsonSchema(node)) return compileJsonSchema(reader, node, trimSpace(schemaText), dialect);
  return compileSketch(reader, node, trimSpace(schemaText), dialect);
}

function compileSketch(
  reader: SchemaReader,
  node: Extract<JsonNode, { kind: "object" }>,
  schemaText: string,
  dialect: SchemaDialect | null,
): Compilation {
  const reading = readSketch(node);
  const errors = [...("errors" in reading ? reading.errors : []), ...refusedTexts(node)];
  if ("errors" in reading || errors.length > 0) return refuse(...errors);
  const described = sketchToJsonSchema(reading.sketch);
  // Descriptions of thousands of keys make the prompt many times longer than the sketch, for every attempt.
  const isTooLong = writeJson(described).length > maxDescribedCharacters;
  const full = isTooLong ? sketchToJsonSchema(reading.sketch, "without notes") : described;
  const fullText = writeJson(full);
  compileValidator(reader.relink(full));
  const lean = dialect && leanOrNull(dialect, () => sketchToLean(reading.sketch, dialect));
  return { compiled: { kind: "sketch", schemaText, fullText, lean, promptText: fullText } };
}

function compileJsonSchema(
  reader: SchemaReader,
  node: JsonNode,
  schemaText: string,
  dialect: SchemaDialect | null,
): Compilation {
  const reading = reader.read(node);
  if ("errors" in reading) return refuse(...reading.errors);
  compileValidator(reading.linked);
  const lean = dialect && leanOrNull(dialect, () => jsonSchemaToLean(reading.linked, dialect));
  return { compiled: { kind: "json-schema", schemaText, fullText: schemaText, lean, promptText: schemaText } };
}

/** A schema whose lean copy cannot be written, or is too large, is in the prompt only. */
function leanOrNull(dialect: SchemaDialect, write: () => CompiledSchema["lean"]): CompiledSchema["lean"] {
  try {
    return withinLeanBounds(write(), dialect);
  } catch {
    return null;
  }
}

/** Returns the place of a key that UTF-8 cannot encode: no model can write it, and ajv cannot name it. */
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

function refuse(...details: string[]): { details: string[] } {
  return { details: bounded(details) };
}

function refuseText({ reason, message }: JsonError): Compilation {
  return refuse(
    reason === "syntax" ? `: ${message}; this is not valid JSON` : `: is too large: ${message}; ask for less at once`,
  );
}

/** Bounds the details inside the thread: a pointer may be as long as the schema, and each value may have a detail. */
function bounded(details: readonly string[]): string[] {
  return details.slice(0, maxDetails).map((detail) => shorten(wellFormed(detail), maxDetailLength));
}
