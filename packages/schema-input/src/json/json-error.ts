/** Thrown for a text that is not JSON (`syntax`) or is over a limit (`depth`, `values`). The message says what is wrong. */
export class JsonError extends Error {
  readonly reason: "syntax" | "depth" | "values";

  constructor(reason: JsonError["reason"], message: string) {
    super(message);
    this.name = "JsonError";
    this.reason = reason;
  }
}

/** What `JSON.parse` gives. Throws `JsonError` unless the text is JSON. Uses no recursion, since `JSON.parse` does not either. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new JsonError("syntax", error instanceof Error ? error.message : String(error));
  }
}
