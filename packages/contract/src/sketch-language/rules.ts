import { jsonSchemaKeys, timestampKeys, typeWords } from "./words.ts";

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
