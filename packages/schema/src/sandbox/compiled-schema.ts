import type { SchemaWarning } from "../warnings/schema-warning.ts";

/** A schema that is ready for use. It is plain data: it can be stored as JSON or sent to another process. */
export type CompiledSchema = {
  /** The form in which the caller sent it (specification, "Schema input"). */
  kind: "sketch" | "json-schema";
  /** The caller's text, without white space around the JSON. */
  schemaText: string;
  /** The JSON Schema that answers are validated against. For a JSON Schema it is `schemaText`. */
  fullText: string;
  /**
   * The copy that constrains the provider's output. It has only keywords that the provider enforces and is looser than
   * the schema, so that every conforming answer can be written under it. Null when no useful copy exists; then the
   * schema is in the prompt only.
   */
  lean: Record<string, unknown> | null;
  /** The schema as the prompt shows it to the model. */
  promptText: string;
  /** Only if no answer can conform: why, as `<JSON pointer>: <reason>`. The pointer is into the answer. */
  impossible?: string;
  /** Only if there are doubts about the schema. */
  warnings?: readonly SchemaWarning[];
};

/**
 * An answer that conforms, as compact JSON with its number literals unchanged, or the violations of an answer that does
 * not: at most 20 texts `<JSON pointer>: <reason>` of at most 300 characters. Those for the caller do not quote the
 * model: no values, and no keys that the schema does not name.
 */
export type CheckedAnswer =
  | { ok: true; text: string }
  | { ok: false; violations: string[]; violationsForCaller: string[] };
