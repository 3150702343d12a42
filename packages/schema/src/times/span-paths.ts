import { readJson } from "../json/read-json.ts";
import { childPointer } from "../json/texts.ts";
import { readSketch } from "../sketch/read-sketch.ts";
import type { SketchPlace } from "../sketch/sketch.ts";

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
