import { wellFormed } from "../json/texts.ts";
import { placeDescription } from "../sketch/describe-place.ts";
import type { Sketch, SketchField, SketchPlace } from "../sketch/sketch.ts";
import type { SchemaDialect } from "./schema-dialect.ts";

type Lean = Record<string, unknown>;

/**
 * Returns the lean schema of a sketch, with keys in the sketch's order. Every answer that conforms to the sketch
 * conforms to it; patterns become descriptions.
 */
export function sketchToLean(sketch: Sketch, { keywords }: SchemaDialect): Lean {
  return writeObject(sketch);

  function writeObject({ fields }: Sketch): Lean {
    const required = fields.filter((field) => !field.optional).map((field) => field.name);
    const names = fields.map((field) => field.name);
    return {
      type: "object",
      ...(names.length > 0 && {
        properties: Object.fromEntries(fields.map((field) => [field.name, writePlace(field.place, field)])),
      }),
      ...(required.length > 0 && { required }),
      ...(keywords.includes("additionalProperties") && { additionalProperties: false }),
      ...(names.length > 1 && keywords.includes("propertyOrdering") && { propertyOrdering: names }),
    };
  }

  function writePlace(place: SketchPlace, field?: SketchField): Lean {
    const words = keywords.includes("description") ? placeDescription(place, field?.optional === true) : undefined;
    return { ...writeType(place), ...(words !== undefined && { description: wellFormed(words) }) };
  }

  function writeType(place: SketchPlace): Lean {
    switch (place.kind) {
      case "object":
        return writeObject(place);
      case "array":
        return { type: "array", items: writePlace(place.items) };
      case "enum": {
        const isUsable = keywords.includes("enum") && place.options.every((option) => option.isWellFormed());
        return { type: "string", ...(isUsable && { enum: place.options }) };
      }
      case "timestamp":
        return { type: "string" };
      default:
        return { type: place.kind };
    }
  }
}
