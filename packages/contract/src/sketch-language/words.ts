/** The type words of a sketch by the type that they mean, each with its synonyms (specification, "Schema input"). */
export const typeWords = {
  string: ["string", "text", "str"],
  number: ["number", "float", "decimal"],
  integer: ["integer", "int"],
  boolean: ["boolean", "bool"],
  timestamp: ["timestamp", "time", "at", "when", "clock"],
} as const;

/** A type that a type word means. */
export type SketchType = keyof typeof typeWords;

/** The keys whose string, free text or number becomes a timestamp (specification, "Schema input", rule 2). */
export const timestampKeys = [
  "at",
  "time",
  "timestamp",
  "start",
  "end",
  "startsAt",
  "endsAt",
  "start_time",
  "end_time",
] as const;

/** The root keys that make the input a JSON Schema (specification, "Telling them apart"). */
export const jsonSchemaKeys = [
  "$schema",
  "properties",
  "$defs",
  "type",
  "items",
  "enum",
  "anyOf",
  "oneOf",
  "allOf",
  "$ref",
] as const;

const typeOfWord: ReadonlyMap<string, SketchType> = new Map(
  Object.entries(typeWords).flatMap(([type, words]) =>
    words.map((word): [string, SketchType] => [word, type as SketchType]),
  ),
);

/** Returns the type that a type word means, in upper or lower case; undefined for any other text. */
export function typeOf(word: string): SketchType | undefined {
  return typeOfWord.get(word.toLowerCase());
}
