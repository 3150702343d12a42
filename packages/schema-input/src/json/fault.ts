/** Thrown for a text that is not JSON (`syntax`) or is over a limit (`depth`, `values`). The message says what is wrong. */
export class JsonFault extends Error {
  readonly reason: "syntax" | "depth" | "values";

  constructor(reason: JsonFault["reason"], message: string) {
    super(message);
    this.name = "JsonFault";
    this.reason = reason;
  }
}

/** What `JSON.parse` gives. Throws `JsonFault` unless the text is JSON. Uses no recursion, since `JSON.parse` does not either. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new JsonFault("syntax", error instanceof Error ? error.message : String(error));
  }
}
