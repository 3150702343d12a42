/**
 * A common mistake: something that people write and that means something else. All members but `result` are JSON texts
 * of members of a sketch.
 */
export type SketchMistake = {
  written: string;
  /** Whether the service refuses it. If not, `check-schema` warns about it. */
  isRefused: boolean;
  /** Its meaning, or why it is refused. */
  result: string;
  instead: string;
};

/** Common mistakes. A test checks that each is refused, or has a warning, and that its correction has none. */
export const sketchMistakes: readonly SketchMistake[] = [
  {
    written: '"price": "number|null"',
    isRefused: true,
    result: "only types as options",
    instead: '"price": "number?"',
  },
  { written: '"tags": "string[]"', isRefused: true, result: "no type word", instead: '"tags": ["string"]' },
  { written: '"note": null', isRefused: true, result: "says nothing about the value", instead: '"note": "string?"' },
  { written: '"scenes": "array"', isRefused: false, result: "a text", instead: '"scenes": [{"what": "string"}]' },
  { written: '"score": "integer (0-10)"', isRefused: false, result: "a text", instead: '"score": "integer — 0 to 10"' },
  {
    written: '"count": {"type": "integer"}',
    isRefused: false,
    result: "an object with the key `type`",
    instead: '"count": "integer"',
  },
  { written: '"side": ["home", "away"]', isRefused: false, result: "a list of texts", instead: '"side": "home|away"' },
  { written: '"start": "number"', isRefused: false, result: "a time", instead: '"start_seconds": "number"' },
  {
    written: '"scorer": "Who scored?"',
    isRefused: false,
    result: "an optional field",
    instead: '"scorer": "string — who scored"',
  },
  {
    written: '"type": "string", "name": "string"',
    isRefused: false,
    result: "a JSON Schema for one string",
    instead: '"kind": "string", "name": "string"',
  },
];
