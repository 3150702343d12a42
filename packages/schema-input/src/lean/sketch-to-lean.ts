import { wellFormed } from "../json/well-formed.ts";
import { placeDescription } from "../sketch/describe-place.ts";
import type { Sketch, SketchField, SketchPlace } from "../sketch/sketch.ts";

/**
 * The lean copy of a sketch: the keywords that the model's constrained decoding takes, in sketch order. Accepts every
 * answer that the sketch does, and leaves patterns to the description.
 */
export function sketchToLean(sketch: Sketch): Record<string, unknown> {
  const required = sketch.fields.filter((field) => !field.optional).map((field) => field.name);
  const names = sketch.fields.map((field) => field.name);
  return {
    type: "object",
    ...(names.length > 0 && {
      properties: Object.fromEntries(sketch.fields.map((field) => [field.name, lean(field.place, field)])),
    }),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(names.length > 1 && { propertyOrdering: names }),
  };
}

function lean(place: SketchPlace, field?: SketchField): Record<string, unknown> {
  const description = placeDescription(place, field?.optional === true);
  return { ...bare(place), ...(description !== undefined && { description: wellFormed(description) }) };
}

function bare(place: SketchPlace): Record<string, unknown> {
  switch (place.kind) {
    case "object":
      return sketchToLean(place);
    case "array":
      return { type: "array", items: lean(place.items) };
    case "enum":
      return { type: "string", ...(place.options.every((option) => option.isWellFormed()) && { enum: place.options }) };
    case "timestamp":
      return { type: "string" };
    default:
      return { type: place.kind };
  }
}
