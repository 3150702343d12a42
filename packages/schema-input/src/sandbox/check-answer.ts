import { JsonFault } from "../json/fault.ts";
import { toExactValue } from "../json/json-value.ts";
import { childPointer } from "../json/pointer.ts";
import { type JsonNode, readJson } from "../json/read-json.ts";
import { writeJson } from "../json/write-json.ts";
import type { SchemaReader } from "../json-schema/schema-reader.ts";
import { compileValidator } from "../json-schema/validator.ts";
import { describeErrors } from "../json-schema/violations.ts";
import { arrangeAnswer } from "../sketch/arrange-answer.ts";
import { checkTimes } from "../sketch/check-times.ts";
import { readSketch } from "../sketch/read-sketch.ts";
import type { Sketch } from "../sketch/sketch.ts";
import type { CheckedAnswer, CompiledSchema } from "./compiled-schema.ts";

const answerBounds = { maxDepth: 512, maxValues: 200_000 };
const unbounded = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY };

/**
 * Checks what the model wrote against the schema (specification, "What the service does"). To a sketch the answer is
 * arranged first; to a JSON Schema it is returned as it is, without its insignificant white space.
 * Only for use inside the sandbox.
 */
export function checkAnswer(
  reader: SchemaReader,
  schema: Pick<CompiledSchema, "kind" | "schemaText" | "fullText">,
  answerText: string,
  durationMs: number,
): CheckedAnswer {
  let answer: JsonNode;
  try {
    answer = readJson(unwrap(answerText), answerBounds);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return refuse(
      error.reason === "syntax" ? `: is not valid JSON: ${error.message}` : `: is too large: ${error.message}`,
    );
  }
  const repeated = repeatedKey(answer, "");
  if (repeated !== undefined) return refuse(`${repeated}: is written twice in its object; write each key once`);

  const sketch = schema.kind === "sketch" ? sketchOf(schema.schemaText) : undefined;
  if (sketch) answer = arrangeAnswer(sketch, answer);
  const errors = compileValidator(reader.relink(readJson(schema.fullText, unbounded)))(toExactValue(answer));
  if (errors.length > 0) return refuse(...describeErrors(errors));
  const late = sketch ? checkTimes(sketch, answer, durationMs) : [];
  return late.length > 0 ? refuse(...late) : { ok: true, text: writeJson(answer) };
}

function refuse(...violations: string[]): CheckedAnswer {
  return { ok: false, violations: violations.slice(0, 20) };
}

function sketchOf(schemaText: string): Sketch {
  const node = readJson(schemaText, unbounded);
  const reading = node.kind === "object" ? readSketch(node) : { faults: [] };
  if ("faults" in reading) throw new Error("a compiled sketch can be read again");
  return reading.sketch;
}

// Models put JSON into a Markdown fence now and then. Only a fence around the whole answer is taken off.
function unwrap(answerText: string): string {
  const text = answerText.replace(/^\uFEFF/, "").trim();
  const fenced = /^```[A-Za-z]*[ \t]*\r?\n/.exec(text);
  return fenced && text.endsWith("```") ? text.slice(fenced[0].length, -3).trim() : text;
}

function repeatedKey(node: JsonNode, pointer: string): string | undefined {
  if (node.kind === "array") {
    for (const [index, item] of node.items.entries()) {
      const found = repeatedKey(item, childPointer(pointer, index));
      if (found !== undefined) return found;
    }
  } else if (node.kind === "object") {
    const seen = new Set<string>();
    for (const { key, value } of node.members) {
      const at = childPointer(pointer, key);
      if (seen.has(key)) return at;
      seen.add(key);
      const found = repeatedKey(value, at);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
