/**
 * The sketch language in about 600 characters, for agents: the description of the tool's `schema` argument and the
 * server's instructions. A test checks it against the words and keys of the language.
 */
export const sketchInBrief =
  'A sketch is the answer as an example with type words for values: string, number, integer, boolean, timestamp (a time as "MM:SS"). "a|b|c" allows only these words. "?" after a key or a type makes it optional, never "string|null". [x] is an array of x, never "string[]". A description follows " — ". Keys such as at, time, start and end are always MM:SS. Example: {"goals":[{"at":"timestamp","team":"home|away","scorer?":"string — name on the shirt"}]}. A root with $schema, type, properties, items, enum, anyOf, oneOf, allOf, $ref or $defs is read as JSON Schema. If unsure, send JSON Schema with $schema.';
