import { trimSpace } from "../json/scan.ts";
import { writeJson } from "../json/write-json.ts";
import { type SchemaDialect, withinLeanBounds } from "../lean/schema-dialect.ts";
import { sketchToLean } from "../lean/sketch-to-lean.ts";
import { readSketch } from "../sketch/read-sketch.ts";
import { refusedTexts } from "../sketch/refused-texts.ts";
import { sketchToJsonSchema } from "../sketch/sketch-to-json-schema.ts";
import { isJsonSchema } from "../sketch-or-schema.ts";
import { warningsOf } from "../warnings/schema-warnings.ts";
import type { CompiledSchema } from "./compiled-schema.ts";
import { type Compilation, readSchemaText, refuse, type SchemaLimits, type SchemaNode } from "./read-schema-text.ts";

const maxDescribedCharacters = 64 * 1024;
/** A sketch of this length takes a fraction of a millisecond. */
const maxSmallCharacters = 2048;

/**
 * Compiles a small sketch in the calling thread, which takes a tenth of the time of a sandbox task. No part of a sketch
 * is compiled to code here, and the validator of a small one always compiles. Returns undefined for every other text,
 * which needs the sandbox.
 */
export function compileSmallSketch(
  schemaText: string,
  limits: SchemaLimits,
  dialect: SchemaDialect | null,
): Compilation | undefined {
  if (schemaText.length > maxSmallCharacters) return undefined;
  const reading = readSchemaText(schemaText, limits);
  if ("details" in reading) return reading;
  if (isJsonSchema(reading.node)) return undefined;
  return compileSketch(reading.node, schemaText, dialect);
}

/** Compiles a sketch, but not its validator. */
export function compileSketch(node: SchemaNode, schemaText: string, dialect: SchemaDialect | null): Compilation {
  const reading = readSketch(node);
  const errors = [...("errors" in reading ? reading.errors : []), ...refusedTexts(node)];
  if ("errors" in reading || errors.length > 0) return refuse(...errors);
  const described = writeJson(sketchToJsonSchema(reading.sketch));
  // The descriptions of thousands of keys would make each prompt many times longer than the sketch.
  const isTooLong = described.length > maxDescribedCharacters;
  const fullText = isTooLong ? writeJson(sketchToJsonSchema(reading.sketch, "without notes")) : described;
  const lean = dialect && leanOrNull(dialect, () => sketchToLean(reading.sketch, dialect));
  const texts = { schemaText: trimSpace(schemaText), fullText, promptText: fullText };
  return { compiled: { kind: "sketch", ...texts, lean, ...warningsOf(node) } };
}

/** A schema whose lean copy cannot be written, or is too large, is only in the prompt. */
export function leanOrNull(dialect: SchemaDialect, write: () => CompiledSchema["lean"]): CompiledSchema["lean"] {
  try {
    return withinLeanBounds(write(), dialect);
  } catch {
    return null;
  }
}
