import { timestampPattern } from "@video-to-json/contract";
import type { JsonNode } from "../json/read-json.ts";
import { objectNode, stringNode } from "../json/write-json.ts";
import { callersDescription, placeDescription } from "./describe-place.ts";
import type { Sketch, SketchField, SketchPlace } from "./sketch.ts";

/** Whether descriptions also explain timestamps and optional keys. */
type Notes = "with notes" | "without notes";

/**
 * Returns the JSON Schema (2020-12) of a sketch, in the order of the sketch. Answers are validated against it, and the
 * prompt contains it. Its notes repeat rules of the system prompt; no answer is validated against them.
 */
export function sketchToJsonSchema(sketch: Sketch, notes: Notes = "with notes"): JsonNode {
  const { members } = object(sketch, notes);
  const dialect = objectNode([["$schema", stringNode("https://json-schema.org/draft/2020-12/schema")]]);
  return { kind: "object", members: [...dialect.members, ...members] };
}

function object(place: Sketch, notes: Notes): Extract<JsonNode, { kind: "object" }> {
  const required = place.fields.filter((field) => !field.optional);
  return objectNode([
    ["type", stringNode("object")],
    ["properties", objectNode(place.fields.map((field) => [field.name, schema(field.place, notes, field)]))],
    ["required", { kind: "array", items: required.map((field) => stringNode(field.name)) }],
    ["additionalProperties", { kind: "boolean", value: false }],
  ]);
}

function schema(place: SketchPlace, notes: Notes, field?: SketchField): JsonNode {
  const node = bare(place, notes);
  const description =
    notes === "with notes" ? placeDescription(place, field?.optional === true) : callersDescription(place);
  if (description === undefined) return node;
  return {
    kind: "object",
    members: [...node.members, ...objectNode([["description", stringNode(description)]]).members],
  };
}

function bare(place: SketchPlace, notes: Notes): Extract<JsonNode, { kind: "object" }> {
  switch (place.kind) {
    case "object":
      return object(place, notes);
    case "array":
      return objectNode([
        ["type", stringNode("array")],
        ["items", schema(place.items, notes)],
      ]);
    case "enum":
      return objectNode([
        ["type", stringNode("string")],
        ["enum", { kind: "array", items: place.options.map(stringNode) }],
      ]);
    case "timestamp":
      return objectNode([
        ["type", stringNode("string")],
        ["pattern", stringNode(timestampPattern)],
      ]);
    default:
      return objectNode([["type", stringNode(place.kind)]]);
  }
}
