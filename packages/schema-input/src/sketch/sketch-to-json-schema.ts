import type { JsonNode } from "../json/read-json.ts";
import { objectNode, stringNode } from "../json/write-json.ts";
import { placeDescription } from "./describe-place.ts";
import type { Sketch, SketchField, SketchPlace } from "./sketch.ts";
import { timestampPattern } from "./timestamp.ts";

/** The JSON Schema (2020-12) that answers to a sketch are checked against and that the model is told, in sketch order. */
export function sketchToJsonSchema(sketch: Sketch): JsonNode {
  const { members } = object(sketch);
  const dialect = objectNode([["$schema", stringNode("https://json-schema.org/draft/2020-12/schema")]]);
  return { kind: "object", members: [...dialect.members, ...members] };
}

function object(place: Sketch): Extract<JsonNode, { kind: "object" }> {
  const required = place.fields.filter((field) => !field.optional);
  return objectNode([
    ["type", stringNode("object")],
    ["properties", objectNode(place.fields.map((field) => [field.name, schema(field.place, field)]))],
    ["required", { kind: "array", items: required.map((field) => stringNode(field.name)) }],
    ["additionalProperties", { kind: "boolean", value: false }],
  ]);
}

function schema(place: SketchPlace, field?: SketchField): JsonNode {
  const node = bare(place);
  const description = placeDescription(place, field?.optional === true);
  if (description === undefined) return node;
  return {
    kind: "object",
    members: [...node.members, ...objectNode([["description", stringNode(description)]]).members],
  };
}

function bare(place: SketchPlace): Extract<JsonNode, { kind: "object" }> {
  switch (place.kind) {
    case "object":
      return object(place);
    case "array":
      return objectNode([
        ["type", stringNode("array")],
        ["items", schema(place.items)],
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
