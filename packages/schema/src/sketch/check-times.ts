import { timestampSeconds, timestampText } from "@video-to-json/contract";
import type { JsonNode } from "../json/read-json.ts";
import { childPointer } from "../json/texts.ts";
import type { Violation } from "../json-schema/violation.ts";
import type { Sketch, SketchPlace } from "./sketch.ts";

// The pairs of one spelling come first: an object with two of them has two spans.
const spans = [
  ["start", "end"],
  ["startsAt", "endsAt"],
  ["start_time", "end_time"],
  ["from", "to"],
] as const;

/** The part that the model has seen. The times of its answer count from the start of this part. */
type Seen = "video" | "clip";

/**
 * Returns the violations of the timestamps of an answer: a time past the end of the video, or a span that ends before
 * it starts. A span is `start` and `end` in one of their spellings or mixed, `from` and `to`, or an array that the
 * sketch writes as two timestamps. The schema checks times in other forms.
 */
export function checkTimes(sketch: Sketch, answer: JsonNode, durationMs: number, what: Seen = "video"): Violation[] {
  const violations: Violation[] = [];
  visit(sketch, answer, "");
  return violations;

  function visit(place: SketchPlace, node: JsonNode, pointer: string): void {
    if (place.kind === "array" && node.kind === "array") {
      for (const [index, item] of node.items.entries()) visit(place.items, item, childPointer(pointer, index));
      const [first, second, ...more] = node.items;
      if (place.isSpan && more.length === 0) {
        checkSpan(
          timestampAt(place.items, first),
          timestampAt(place.items, second),
          childPointer(pointer, 1),
          "the first time",
        );
      }
    } else if (place.kind === "timestamp" && node.kind === "string") {
      const seconds = timestampSeconds(node.value);
      if (seconds !== undefined && seconds * 1000 > durationMs) {
        const reasonForCaller = `is past the end of the ${what}, which ends at ${timestampText(durationMs)}`;
        const advice = what === "clip" ? "; count from the start of the clip, which is 00:00" : "";
        violations.push({ at: pointer, reason: `${node.value} ${reasonForCaller}${advice}`, reasonForCaller });
      }
    } else if (place.kind === "object" && node.kind === "object") {
      const members = new Map(node.members.map((member) => [member.key, member.value]));
      const places = new Map(place.fields.map((field) => [field.name, field.place]));
      for (const [name, inner] of places) {
        const value = members.get(name);
        if (value) visit(inner, value, childPointer(pointer, name));
      }
      for (const [from, to] of spansOf(places)) {
        const start = timestampAt(places.get(from), members.get(from));
        checkSpan(start, timestampAt(places.get(to), members.get(to)), childPointer(pointer, to), `"${from}"`);
      }
    }
  }

  function checkSpan(start: number | undefined, end: number | undefined, at: string, from: string): void {
    if (start === undefined || end === undefined || end >= start) return;
    violations.push({ at, reason: `is before ${from}; a span ends when it starts or later` });
  }
}

/**
 * Returns the keys of the spans of an object: first pairs of one spelling, then the single start and the single end
 * that remain.
 */
function spansOf(places: ReadonlyMap<string, SketchPlace>): [from: string, to: string][] {
  const isTime = (key: string) => places.get(key)?.kind === "timestamp";
  const pairs = spans.filter((pair) => pair.every(isTime)).map(([from, to]): [string, string] => [from, to]);
  const alone = spans.filter((pair) => !pair.every(isTime));
  const [from, ...otherStarts] = alone.map(([start]) => start).filter(isTime);
  const [to, ...otherEnds] = alone.map(([, end]) => end).filter(isTime);
  const isClear = from !== undefined && to !== undefined && otherStarts.length === 0 && otherEnds.length === 0;
  return isClear ? [...pairs, [from, to]] : pairs;
}

function timestampAt(place: SketchPlace | undefined, node: JsonNode | undefined): number | undefined {
  return place?.kind === "timestamp" && node?.kind === "string" ? timestampSeconds(node.value) : undefined;
}
