import type { JsonMember, JsonNode } from "../json/read-json.ts";
import { stringNode } from "../json/write-json.ts";
import { type Sketch, type SketchPlace, toTimestamp } from "./sketch.ts";

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
