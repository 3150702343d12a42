import { childPointer } from "../json/pointer.ts";
import type { JsonNode } from "../json/read-json.ts";

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
