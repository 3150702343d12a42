import { findSyntaxFault } from "./syntax-fault.ts";

/** The error for a text that is not JSON (`syntax`) or exceeds a limit (`depth`, `values`). */
export class JsonError extends Error {
  readonly reason: "syntax" | "depth" | "values";

  constructor(reason: JsonError["reason"], message: string) {
    super(message);
    this.name = "JsonError";
    this.reason = reason;
  }
}

/**
 * Calls `JSON.parse`, which does not recurse. Throws `JsonError` if the text is not JSON, with the place and a
 * correction.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const fault = findSyntaxFault(text);
    const message = fault && `line ${fault.line}, column ${fault.column}: ${fault.advice}`;
    throw new JsonError("syntax", message ?? (error instanceof Error ? error.message : String(error)));
  }
}
