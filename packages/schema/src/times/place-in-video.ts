import type { VideoPart } from "@video-to-json/contract";
import { type JsonNode, readJson } from "../json/read-json.ts";
import { childPointer } from "../json/texts.ts";
import { writeJson } from "../json/write-json.ts";
import type { Violation } from "../json-schema/violation.ts";
import type { CompiledSchema } from "../sandbox/compiled-schema.ts";
import { checkTimes } from "../sketch/check-times.ts";
import type { Sketch, SketchPlace } from "../sketch/sketch.ts";
import { replaceValues } from "./answer-values.ts";
import { findTimes } from "./find-times.ts";
import { readClock, type TimeForm, writeTime } from "./time-form.ts";

type Asked = {
  schema: Pick<CompiledSchema, "kind" | "schemaText" | "fullText">;
  /** The sketch, if the schema is one. */
  sketch: Sketch | undefined;
  part: VideoPart;
};

type FoundTime = { pointer: string; ms: number; form: TimeForm };

const unbounded = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY };

/**
 * Returns the answer of a model that has seen only a part of a video, with its times counted from the start of the
 * whole video, and the violations of its timestamps (docs/decisions/0014). The model is asked to count from the start
 * of the part. If every time of the answer is after the end of the part, and the part is shorter than the video before
 * it, the answer already counts from the start of the video.
 */
export function placeInVideo(
  { schema, sketch, part }: Asked,
  answer: JsonNode,
): { answer: JsonNode; violations: Violation[] } {
  const lengthMs = part.toMs - part.fromMs;
  const times = sketch ? timesOfSketch(sketch, schema, answer) : timesOf(schema, answer);
  const isIn = ({ ms }: FoundTime, fromMs: number, toMs: number) => ms >= fromMs && ms <= toMs;
  const fromPart = times.filter((time) => isIn(time, 0, lengthMs));
  const isAbsolute =
    fromPart.length < times.length &&
    part.fromMs >= lengthMs &&
    times.every((time) => isIn(time, part.fromMs, part.toMs));
  if (isAbsolute) return { answer, violations: sketch ? checkTimes(sketch, answer, part.toMs) : [] };
  const violations = sketch ? checkTimes(sketch, answer, lengthMs, "clip") : [];
  const moved = new Map(fromPart.map(({ pointer, ms, form }) => [pointer, writeTime(ms + part.fromMs, form)]));
  return { answer: readJson(replaceValues(writeJson(answer), moved), unbounded), violations };
}

/** A sketch marks the texts that are times. Numbers of seconds are found by their key and description. */
function timesOfSketch(sketch: Sketch, schema: Asked["schema"], answer: JsonNode): FoundTime[] {
  const found: FoundTime[] = timesOf(schema, answer).filter(({ form }) => form.kind === "number");
  visit(sketch, answer, "");
  return found;

  function visit(place: SketchPlace, node: JsonNode, pointer: string): void {
    if (place.kind === "array" && node.kind === "array") {
      for (const [index, item] of node.items.entries()) visit(place.items, item, childPointer(pointer, index));
    } else if (place.kind === "object" && node.kind === "object") {
      const places = new Map(place.fields.map((field) => [field.name, field.place]));
      for (const { key, value } of node.members) {
        const inner = places.get(key);
        if (inner) visit(inner, value, childPointer(pointer, key));
      }
    } else if (place.kind === "timestamp" && node.kind === "string") {
      const time = readClock(node.value);
      if (time) found.push({ pointer, ms: time.fromMs, form: time.form });
    }
  }
}

function timesOf(schema: Asked["schema"], answer: JsonNode): FoundTime[] {
  return findTimes(schema, writeJson(answer), Number.POSITIVE_INFINITY).map(({ pointer, fromMs, form }) => ({
    pointer,
    ms: fromMs,
    form,
  }));
}
