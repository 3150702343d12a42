import type { VideoPart } from "@video-to-json/contract";
import { toExactValue } from "../json/json-value.ts";
import { type JsonMember, type JsonNode, readJson } from "../json/read-json.ts";
import { childPointer, JsonError } from "../json/texts.ts";
import { stringNode, writeJson } from "../json/write-json.ts";
import { namesIn, type Violation, violationsForCaller, violationText } from "../json-schema/violation.ts";
import { maxViolations, violationsOf } from "../json-schema/violations.ts";
import { checkTimes } from "../sketch/check-times.ts";
import { readSketch } from "../sketch/read-sketch.ts";
import { type Sketch, type SketchPlace, toTimestamp } from "../sketch/sketch.ts";
import { placeInVideo } from "../times/place-in-video.ts";
import type { CheckedAnswer, CompiledSchema } from "./compiled-schema.ts";
import type { KeptValidators } from "./kept-validators.ts";

const answerBounds = { maxDepth: 512, maxValues: 200_000 };
const unbounded = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY };

/**
 * Checks the model's answer against the schema (specification, "What the service does"). An answer to a sketch is
 * arranged first. An answer to a JSON Schema is returned as it is, without white space between its tokens.
 * With a `part`, the model has seen only this part of a video of `durationMs`: the times of the answer that is returned
 * count from the start of the whole video. For use inside the sandbox only. Throws `RangeError` when the stack overflows.
 */
export function checkAnswer(
  validators: Pick<KeptValidators, "of">,
  schema: Pick<CompiledSchema, "kind" | "schemaText" | "fullText">,
  answerText: string,
  durationMs: number,
  part: VideoPart | null = null,
): CheckedAnswer {
  try {
    return readAndCheck(validators, schema, answerText, { durationMs, part });
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return refuseAll("cannot be checked against the schema; write simpler values");
  }
}

function readAndCheck(
  validators: Pick<KeptValidators, "of">,
  schema: Pick<CompiledSchema, "kind" | "schemaText" | "fullText">,
  answerText: string,
  { durationMs, part }: { durationMs: number; part: VideoPart | null },
): CheckedAnswer {
  let answer: JsonNode;
  try {
    answer = readJson(unwrap(answerText), answerBounds);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    // The parser's message would quote the answer.
    return error.reason === "syntax"
      ? refuseAll(`is not valid JSON at ${error.message}`, "is not valid JSON")
      : refuseAll(`is too large: ${error.message}`);
  }
  const full = readJson(schema.fullText, unbounded);
  const names = namesIn(full);
  const repeated = repeatedKey(answer, "");
  if (repeated !== undefined) {
    return refuse([{ at: repeated, reason: "is written twice in its object; write each key once" }], names, answer);
  }

  const sketch = schema.kind === "sketch" ? sketchOf(schema.schemaText) : undefined;
  if (sketch) answer = arrangeAnswer(sketch, answer);
  const placed = part && placeInVideo({ schema, sketch, part }, answer);
  const times = placed ? placed.violations : sketch ? checkTimes(sketch, answer, durationMs) : [];
  if (placed) answer = placed.answer;
  const errors = validators.of(schema.fullText, full)(toExactValue(answer));
  if (errors.length === 0 && times.length === 0) return { ok: true, text: writeJson(answer) };
  // The model has few attempts, so it gets both kinds of violation at once, and neither kind displaces the other.
  const shownTimes = Math.min(times.length, maxViolations / 2);
  return refuse([...violationsOf(errors).slice(0, maxViolations - shownTimes), ...times], names, answer);
}

function refuse(violations: Violation[], names: ReadonlySet<string>, answer: JsonNode): CheckedAnswer {
  const shown = violations.slice(0, maxViolations);
  return {
    ok: false,
    violations: shown.map(violationText),
    violationsForCaller: violationsForCaller(shown, names, answer),
  };
}

/** Refuses the whole answer for one reason. */
function refuseAll(reason: string, reasonForCaller = reason): CheckedAnswer {
  return {
    ok: false,
    violations: [violationText({ at: "", reason })],
    violationsForCaller: [violationText({ at: "", reason: reasonForCaller })],
  };
}

function sketchOf(schemaText: string): Sketch {
  const node = readJson(schemaText, unbounded);
  const reading = node.kind === "object" ? readSketch(node) : { errors: [] };
  if ("errors" in reading) throw new Error("A compiled sketch cannot be read again.");
  return reading.sketch;
}

// Some models write JSON inside a Markdown fence. Only a fence around the whole answer is removed.
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

/**
 * Returns an answer in the form of its sketch (docs/decisions/0001, "Schema input"): keys in the order of the sketch,
 * optional fields with null removed, times as `MM:SS` where that loses nothing. Unfitting parts stay, so that the
 * validation finds them. Keys that are not in the sketch come last. Recurses only as deep as the sketch.
 */
export function arrangeAnswer(place: SketchPlace, answer: JsonNode): JsonNode {
  if (place.kind === "object" && answer.kind === "object") return arrangeObject(place, answer.members);
  if (place.kind === "array" && answer.kind === "array") {
    return { kind: "array", items: answer.items.map((item) => arrangeAnswer(place.items, item)) };
  }
  if (place.kind === "timestamp" && answer.kind === "string") {
    const timestamp = toTimestamp(answer.value);
    return timestamp === undefined || timestamp === answer.value ? answer : stringNode(timestamp);
  }
  return answer;
}

function arrangeObject(sketch: Sketch, members: readonly JsonMember[]): JsonNode {
  const left = new Map(members.map((member) => [member.key, member]));
  const arranged: JsonMember[] = [];
  for (const { name, optional, place } of sketch.fields) {
    const member = left.get(name);
    if (!member) continue;
    left.delete(name);
    if (optional && member.value.kind === "null") continue;
    arranged.push({ ...member, value: arrangeAnswer(place, member.value) });
  }
  return { kind: "object", members: [...arranged, ...left.values()] };
}
