import type { JsonNode } from "../json/read-json.ts";
import { childPointer } from "../json/texts.ts";

/**
 * One place of the answer that a sketch describes (specification, "Schema input"). `isSpan` marks an array that the
 * sketch writes as exactly two timestamps: the start and the end of a span.
 */
export type SketchPlace =
  | { kind: "object"; fields: SketchField[] }
  | { kind: "array"; items: SketchPlace; isSpan?: true }
  | { kind: "string" | "number" | "integer" | "boolean" | "timestamp"; description?: string }
  | { kind: "enum"; options: string[]; description?: string };

/** A key of an object in a sketch, in the order written. `name` is without the optional mark. */
export type SketchField = { name: string; optional: boolean; place: SketchPlace };

/** A whole sketch. Its root is always an object. */
export type Sketch = Extract<SketchPlace, { kind: "object" }>;

/** A string value of a sketch. `name` is its key without the optional mark, or undefined for an element of an array. */
export type SketchText = { at: string; name: string | undefined; text: string };

/** Returns the string values that define a sketch. Elements of an array after the first one have no effect. */
export function* sketchTexts(node: JsonNode, at = "", name?: string): Generator<SketchText> {
  if (node.kind === "string") yield { at, name, text: node.value };
  if (node.kind === "array" && node.items[0]) yield* sketchTexts(node.items[0], childPointer(at, 0));
  if (node.kind === "object") {
    for (const { key, value } of node.members)
      yield* sketchTexts(value, childPointer(at, key), key.endsWith("?") ? key.slice(0, -1) : key);
  }
}

/**
 * Returns a model's time as `MM:SS`. `0:05`, `5:3`, `00:00:05` and `00:05.0` lose nothing. Returns undefined if the
 * conversion would lose something or would be a guess, as for `1:00:05`, `00:05.4` and a bare number of seconds.
 */
export function toTimestamp(text: string): string | undefined {
  const parts = /^(?:0{1,2}:)?([0-5]?\d):([0-5]?\d)(?:[.,]0+)?$/.exec(text.trim());
  if (!parts) return undefined;
  const [, minutes = "", seconds = ""] = parts;
  return `${minutes.padStart(2, "0")}:${seconds.padStart(2, "0")}`;
}
