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

/** One expression of the sketch language: its form and its meaning. `means` is Markdown. */
export type SketchRule = { written: readonly string[]; means: string };

/** Every expression of the sketch language (specification, "Schema input"). */
export const sketchRules: readonly SketchRule[] = [
  { written: typeWords.string, means: "a string" },
  { written: typeWords.number, means: "a number; so does a bare `0.0`" },
  { written: typeWords.integer, means: "a whole number; so does a bare `0`" },
  { written: typeWords.boolean, means: "true or false; so does a bare `true` or `false`" },
  { written: typeWords.timestamp, means: 'a time from the start of the video as `"MM:SS"`' },
  { written: ["a|b|c"], means: "exactly one of these words" },
  { written: ['"key?": …', "string?", "a|b?"], means: "an optional field: the key may be missing" },
  {
    written: ["string — words", "-- words", "// words", ": words"],
    means: "a description after a type; `-` between spaces works too",
  },
  { written: ["any other text"], means: "a string; the text is its description" },
  { written: ["[ … ]"], means: "an array whose items are like its only element; `[]` holds strings" },
  { written: ["{ … }"], means: "an object with exactly these keys in this order, to any depth" },
];

/** The keys that make a value a timestamp, as a sentence. */
export const timestampKeyRule = `The keys ${listed(timestampKeys)} make a time of a string, free text or a number. Ask for a span with a start and an end.`;

/** What makes the input a JSON Schema, as sentences. */
export const jsonSchemaRule = `A root with any of the keys ${listed(jsonSchemaKeys)} is a JSON Schema. Put a sketch with such a key one level deeper, as in \`{"event": {"type": "goal|foul"}}\`. If unsure, send a JSON Schema with \`$schema\`.`;

function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}

/**
 * The sketch language in about 600 characters, for agents: the description of the tool's `schema` argument and the
 * server's instructions. A test checks it against the words and keys of the language.
 */
export const sketchInBrief =
  'A sketch is the answer as an example with type words for values: string, number, integer, boolean, timestamp (a time as "MM:SS"). "a|b|c" allows only these words. "?" after a key or a type makes it optional, never "string|null". [x] is an array of x, never "string[]". A description follows " — ". Keys such as at, time, start and end are always MM:SS. Example: {"goals":[{"at":"timestamp","team":"home|away","scorer?":"string — name on the shirt"}]}. A root with $schema, type, properties, items, enum, anyOf, oneOf, allOf, $ref or $defs is read as JSON Schema. If unsure, send JSON Schema with $schema.';
