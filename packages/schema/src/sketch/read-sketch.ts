import { timestampKeys } from "@video-to-json/contract/sketch-language/words";
import type { JsonNode } from "../json/read-json.ts";
import { childPointer } from "../json/texts.ts";
import { readValue } from "./read-value.ts";
import type { Sketch, SketchField, SketchPlace } from "./sketch.ts";

const makesTimestamp: ReadonlySet<string> = new Set(timestampKeys);

/** A sketch, or the reasons why it is invalid: `<JSON pointer>: <reason>` each. */
export type SketchReading = { sketch: Sketch } | { errors: string[] };

/**
 * Reads a sketch (specification, "Schema input"; docs/decisions/0001, "Schema input"). It recurses, so the text must
 * have been read with a depth limit.
 */
export function readSketch(root: Extract<JsonNode, { kind: "object" }>): SketchReading {
  const errors: string[] = [];
  const sketch = readObject(root, "", errors);
  return errors.length > 0 ? { errors } : { sketch };
}

function readObject(node: Extract<JsonNode, { kind: "object" }>, pointer: string, errors: string[]): Sketch {
  const fields: SketchField[] = [];
  const seen = new Set<string>();
  for (const { key, value } of node.members) {
    const marked = key.endsWith("?");
    const name = marked ? key.slice(0, -1) : key;
    const at = childPointer(pointer, key);
    if (seen.has(name)) errors.push(`${at}: the key "${name}" is there twice, with or without \`?\`; write it once`);
    seen.add(name);
    const { place, optional } = readPlace(value, at, errors);
    fields.push({
      name,
      optional: marked || optional,
      place: makesTimestamp.has(name) ? asTimestamp(place) : place,
    });
  }
  return { kind: "object", fields };
}

function readPlace(node: JsonNode, pointer: string, errors: string[]): { place: SketchPlace; optional: boolean } {
  switch (node.kind) {
    case "object":
      return { place: readObject(node, pointer, errors), optional: false };
    case "array":
      return { place: readArray(node.items, pointer, errors), optional: false };
    case "number":
      return { place: { kind: /[.eE]/.test(node.raw) ? "number" : "integer" }, optional: false };
    case "boolean":
      return { place: { kind: "boolean" }, optional: false };
    case "null":
      errors.push(`${pointer}: null says nothing about the wanted value; write a type word such as "string?"`);
      return { place: { kind: "string" }, optional: false };
    case "string": {
      const reading = readValue(node.value);
      if (!("error" in reading)) return reading;
      errors.push(`${pointer}: ${reading.error}`);
      return { place: { kind: "string" }, optional: false };
    }
  }
}

// A mark on an element has no effect: an array may be empty, so its elements cannot be optional.
function readArray(elements: readonly JsonNode[], pointer: string, errors: string[]): SketchPlace {
  const [first, second, ...more] = elements;
  const items: SketchPlace = first ? readPlace(first, childPointer(pointer, 0), errors).place : { kind: "string" };
  const isSpan = more.length === 0 && items.kind === "timestamp" && isTimestamp(second);
  return { kind: "array", items, ...(isSpan && { isSpan }) };
}

function isTimestamp(node: JsonNode | undefined): boolean {
  if (node?.kind !== "string") return false;
  const reading = readValue(node.value);
  return !("error" in reading) && reading.place.kind === "timestamp";
}

function asTimestamp(place: SketchPlace): SketchPlace {
  switch (place.kind) {
    case "string":
    case "number":
    case "integer":
      return { ...place, kind: "timestamp" };
    default:
      return place;
  }
}
