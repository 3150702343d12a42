import type { Limits } from "@video-to-json/contract";
import { JsonFault } from "../json/fault.ts";
import { type JsonNode, readJson } from "../json/read-json.ts";
import { writeJson } from "../json/write-json.ts";
import type { SchemaReader } from "../json-schema/schema-reader.ts";
import { compileValidator } from "../json-schema/validator.ts";
import { jsonSchemaToLean } from "../lean/json-schema-to-lean.ts";
import { withinLeanBounds } from "../lean/lean-bounds.ts";
import { sketchToLean } from "../lean/sketch-to-lean.ts";
import { readSketch } from "../sketch/read-sketch.ts";
import { sketchToJsonSchema } from "../sketch/sketch-to-json-schema.ts";
import type { CompiledSchema } from "./compiled-schema.ts";

/** The limits that a schema's text is judged by. */
export type SchemaLimits = Pick<Limits, "maxSchemaBytes" | "maxSchemaDepth" | "maxSchemaValues">;

/** A compiled schema, or why there is none: a message for `schema_invalid` and its details. */
export type Compilation = { compiled: CompiledSchema } | { message: string; details: string[] };

const jsonSchemaKeys: ReadonlySet<string> = new Set([
  "$schema",
  "properties",
  "$defs",
  "type",
  "items",
  "enum",
  "anyOf",
  "oneOf",
  "allOf",
  "$ref",
]);

/** Compiles a sketch or a JSON Schema (specification, "Schema input"). Only for use inside the sandbox. */
export function compileSchema(reader: SchemaReader, schemaText: string, limits: SchemaLimits): Compilation {
  let node: JsonNode;
  try {
    node = readJson(schemaText, { maxDepth: limits.maxSchemaDepth, maxValues: limits.maxSchemaValues });
  } catch (error) {
    if (error instanceof JsonFault) return refuseText(error);
    throw error;
  }
  if (node.kind !== "object")
    return refuse(': must be an object: a sketch such as {"title": "string"}, or a JSON Schema');
  if (node.members.length === 0) return refuse(": is empty, so there is nothing to extract; name at least one key");
  if (node.members.some(({ key }) => jsonSchemaKeys.has(key))) return compileJsonSchema(reader, node, schemaText);
  return compileSketch(node, schemaText);
}

function compileSketch(node: Extract<JsonNode, { kind: "object" }>, schemaText: string): Compilation {
  const reading = readSketch(node);
  if ("faults" in reading) return refuse(...reading.faults);
  const fullText = writeJson(sketchToJsonSchema(reading.sketch));
  const lean = withinLeanBounds(sketchToLean(reading.sketch));
  return { compiled: { kind: "sketch", schemaText, fullText, lean, promptText: fullText } };
}

function compileJsonSchema(reader: SchemaReader, node: JsonNode, schemaText: string): Compilation {
  const reading = reader.read(node);
  if ("faults" in reading) return refuse(...reading.faults);
  compileValidator(reading.linked);
  const lean = withinLeanBounds(jsonSchemaToLean(reading.linked));
  return { compiled: { kind: "json-schema", schemaText, fullText: schemaText, lean, promptText: schemaText } };
}

function refuse(...details: string[]): Compilation {
  return { message: "The schema cannot be used. Correct it as `details` says.", details };
}

function refuseText({ reason, message }: JsonFault): Compilation {
  if (reason !== "syntax") return refuse(`: is too large: ${message}; ask for less at once`);
  return {
    message: "The schema is not valid JSON. Correct it as `details` says.",
    details: [`: is not valid JSON: ${message}`],
  };
}
