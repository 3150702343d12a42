import { childPointer } from "../json/pointer.ts";
import type { JsonNode } from "../json/read-json.ts";
import type { Violation } from "../json-schema/violation.ts";
import type { Sketch, SketchPlace } from "./sketch.ts";
import { timestampSeconds } from "./timestamp.ts";

const spans = [
  ["start", "end"],
  ["startsAt", "endsAt"],
  ["start_time", "end_time"],
] as const;

/**
 * Returns the violations of the timestamps of an answer: a time past the end of the
 * video, or a span that ends before it starts. Times in another form are left to the schema.
 */
export function checkTimes(sketch: Sketch, answer: JsonNode, durationMs: number): Violation[] {
  const violations: Violation[] = [];
  visit(sketch, answer, "");
  return violations;

  function visit(place: SketchPlace, node: JsonNode, pointer: string): void {
    if (place.kind === "array" && node.kind === "array") {
      for (const [index, item] of node.items.entries()) visit(place.items, item, childPointer(pointer, index));
    } else if (place.kind === "timestamp" && node.kind === "string") {
      const seconds = timestampSeconds(node.value);
      if (seconds !== undefined && seconds * 1000 > durationMs) {
        const reasonForCaller = `is past the end of the video, which ends at ${lastSecond(durationMs)}`;
        violations.push({ at: pointer, reason: `${node.value} ${reasonForCaller}`, reasonForCaller });
      }
    } else if (place.kind === "object" && node.kind === "object") {
      const members = new Map(node.members.map((member) => [member.key, member.value]));
      const places = new Map(place.fields.map((field) => [field.name, field.place]));
      for (const [name, inner] of places) {
        const value = members.get(name);
        if (value) visit(inner, value, childPointer(pointer, name));
      }
      for (const [from, to] of spans) {
        const start = timestampAt(places.get(from), members.get(from));
        const end = timestampAt(places.get(to), members.get(to));
        if (start !== undefined && end !== undefined && end < start) {
          const reason = `is before "${from}"; a span ends when it starts or later`;
          violations.push({ at: childPointer(pointer, to), reason });
        }
      }
    }
  }
}

function timestampAt(place: SketchPlace | undefined, node: JsonNode | undefined): number | undefined {
  return place?.kind === "timestamp" && node?.kind === "string" ? timestampSeconds(node.value) : undefined;
}

function lastSecond(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1000);
  return `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
}
