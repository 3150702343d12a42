import { readJson } from "../json/read-json.ts";
import { trimSpace } from "../json/scan.ts";
import { findImpossible } from "../json-schema/find-impossible.ts";
import type { SchemaReader } from "../json-schema/schema-reader.ts";
import { compileValidator } from "../json-schema/validator.ts";
import { jsonSchemaToLean } from "../lean/json-schema-to-lean.ts";
import type { SchemaDialect } from "../lean/schema-dialect.ts";
import { isJsonSchema } from "../sketch-or-schema.ts";
import { warningsOf } from "../warnings/schema-warnings.ts";
import { compileSketch, leanOrNull } from "./compile-sketch.ts";
import { type Compilation, readSchemaText, refuse, type SchemaLimits, type SchemaNode } from "./read-schema-text.ts";

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
  const reading = readSchemaText(schemaText, limits);
  if ("details" in reading) return reading;
  const { node } = reading;
  if (isJsonSchema(node)) return compileJsonSchema(reader, node, trimSpace(schemaText), dialect);
  const compilation = compileSketch(node, schemaText, dialect);
  if ("compiled" in compilation) compileValidator(reader.relink(readJson(compilation.compiled.fullText, unlimited)));
  return compilation;
}

/** The full schema of a sketch is deeper and longer than the sketch, which is within the limits. */
const unlimited = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY };

function compileJsonSchema(
  reader: SchemaReader,
  node: SchemaNode,
  schemaText: string,
  dialect: SchemaDialect | null,
): Compilation {
  const reading = reader.read(node);
  if ("errors" in reading) return refuse(...reading.errors);
  compileValidator(reading.linked);
  const lean = dialect && leanOrNull(dialect, () => jsonSchemaToLean(reading.linked, dialect));
  const texts = { schemaText, fullText: schemaText, promptText: schemaText };
  const impossible = findImpossible(reading.linked);
  return {
    compiled: { kind: "json-schema", ...texts, lean, ...(impossible !== null && { impossible }), ...warningsOf(node) },
  };
}
