/** A schema ready for use: plain data that can be stored as JSON or sent to another process. */
export type CompiledSchema = {
  /** How it was sent (specification, "Schema input"). */
  kind: "sketch" | "json-schema";
  /** The text as sent, without what stands around its JSON. */
  schemaText: string;
  /** The text of the JSON Schema that answers are validated against; a JSON Schema is its own. */
  fullText: string;
  /**
   * A copy for the model's constrained decoding, with only the keywords it takes and looser than the schema: a conforming answer
   * can be given under it. Null when there is none of use; then the schema goes in the prompt alone.
   */
  lean: Record<string, unknown> | null;
  /** The schema as the model is told it in the prompt. */
  promptText: string;
};

/**
 * An answer that conforms, as compact JSON with its literals as answered, or what it violates: `<JSON pointer>: <reason>`,
 * at most 20 of at most 300 characters.
 */
export type CheckedAnswer = { ok: true; text: string } | { ok: false; violations: string[] };
