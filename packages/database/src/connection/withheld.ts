/**
 * A parameter that must not appear in errors or logs: callers' schemas, URLs and answers. Query errors list their
 * parameters; this one appears as "(withheld)".
 */
export class Withheld {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the text. Only the driver may call this. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return "(withheld)";
  }

  toJSON(): string {
    return "(withheld)";
  }
}
