import { describesTime, namesOther, namesTime, unitMs } from "@video-to-json/contract/time-words";
import { readJson } from "../json/read-json.ts";
import { childPointer } from "../json/texts.ts";
import { plainDescription } from "../sketch/describe-place.ts";
import { readSketch } from "../sketch/read-sketch.ts";
import type { SketchPlace } from "../sketch/sketch.ts";
import { type SchemasAt, textsOf } from "./subschemas-at.ts";

/** Returns whether the schema asks for a text as a clock: by its pattern, its description or its key. */
export function asksForClock(key: string, at: SchemasAt, description: string): boolean {
  if (namesOther(key)) return false;
  const hasPattern = textsOf(at, "pattern").some(
    (pattern) => pattern.includes(":") && /\[0-5\]|\\d|\[0-9\]/.test(pattern),
  );
  return hasPattern || describesTime(description) || namesTime(key);
}

/** Returns whether the schema asks for a number as a position in the video: by its key or its description. */
export function asksForSeconds(key: string, description: string): boolean {
  if (namesOther(key)) return false;
  const isEdgeAlone = /^(from|to)$/i.test(key);
  const isNamed = namesTime(key) && !(isEdgeAlone && unitMs(key, description) === undefined);
  return isNamed || describesTime(description);
}

/** Returns whether the schema asks for a list of fixed length, such as the two edges of a span. A list of up to two may have one time. */
export function isTuple(at: SchemasAt): boolean {
  return at.some(
    ({ prefixItems, items, minItems, maxItems }) =>
      Array.isArray(prefixItems) || Array.isArray(items) || (minItems === 2 && maxItems === 2),
  );
}

/** Returns the texts of the schema about a place. */
export function descriptionOf(at: SchemasAt): string {
  const texts = [...textsOf(at, "title"), ...textsOf(at, "description")].map(plainDescription);
  return [...new Set(texts)].filter((text) => text !== "").join(". ");
}

const unbounded = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY };

/** Returns the places where a sketch has two times that form a span, as JSON pointers with `*` for each index. */
export function spanPathsOf(sketchText: string): ReadonlySet<string> {
  const paths = new Set<string>();
  const node = readJson(sketchText, unbounded);
  const reading = node.kind === "object" ? readSketch(node) : undefined;
  if (reading && "sketch" in reading) visit(reading.sketch, "");
  return paths;

  function visit(place: SketchPlace, path: string): void {
    if (place.kind === "object") for (const field of place.fields) visit(field.place, childPointer(path, field.name));
    if (place.kind !== "array") return;
    if (place.isSpan) paths.add(path);
    visit(place.items, childPointer(path, "*"));
  }
}
