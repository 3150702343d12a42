import { childPointer } from "../json/pointer.ts";
import type { JsonNode } from "../json/read-json.ts";
import { readValue } from "./read-value.ts";
import type { Sketch, SketchField, SketchPlace } from "./sketch.ts";

const timestampKeys = new Set([
  "at",
  "time",
  "timestamp",
  "start",
  "end",
  "startsAt",
  "endsAt",
  "start_time",
  "end_time",
]);

/** A sketch, or what keeps it from being one: `<JSON pointer>: <reason>` each. */
export type SketchReading = { sketch: Sketch } | { faults: string[] };

/**
 * Reads a sketch (specification, "Schema input"; docs/decisions/0001, "Schema input"). Recurses: the depth must have been
 * bounded when the text was read.
 */
export function readSketch(root: Extract<JsonNode, { kind: "object" }>): SketchReading {
  const faults: string[] = [];
  const sketch = readObject(root, "", faults);
  return faults.length > 0 ? { faults } : { sketch };
}

function readObject(node: Extract<JsonNode, { kind: "object" }>, pointer: string, faults: string[]): Sketch {
  const fields: SketchField[] = [];
  const seen = new Set<string>();
  for (const { key, value } of node.members) {
    const marked = key.endsWith("?");
    const name = marked ? key.slice(0, -1) : key;
    const at = childPointer(pointer, key);
    if (seen.has(name)) faults.push(`${at}: the key "${name}" is there twice, with or without \`?\`; write it once`);
    seen.add(name);
    const { place, optional } = readPlace(value, at, faults);
    fields.push({
      name,
      optional: marked || optional,
      place: timestampKeys.has(name) ? asTimestamp(place) : place,
    });
  }
  return { kind: "object", fields };
}

function readPlace(node: JsonNode, pointer: string, faults: string[]): { place: SketchPlace; optional: boolean } {
  switch (node.kind) {
    case "object":
      return { place: readObject(node, pointer, faults), optional: false };
    case "array":
      return { place: { kind: "array", items: readItems(node.items[0], pointer, faults) }, optional: false };
    case "number":
      return { place: { kind: /[.eE]/.test(node.raw) ? "number" : "integer" }, optional: false };
    case "boolean":
      return { place: { kind: "boolean" }, optional: false };
    case "null":
      faults.push(`${pointer}: null says nothing about the wanted value; write a type word such as "string?"`);
      return { place: { kind: "string" }, optional: false };
    case "string": {
      const reading = readValue(node.value);
      if (!("fault" in reading)) return reading;
      faults.push(`${pointer}: ${reading.fault}`);
      return { place: { kind: "string" }, optional: false };
    }
  }
}

// An element of an array cannot be optional, since an array may hold none: a mark on it changes nothing.
function readItems(first: JsonNode | undefined, pointer: string, faults: string[]): SketchPlace {
  return first ? readPlace(first, childPointer(pointer, 0), faults).place : { kind: "string" };
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
