/**
 * A text on its way into the database that no error and no log may repeat: callers' schemas, URLs and answers. Query
 * errors list their parameters; this one lists as a placeholder.
 */
export class Withheld {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself, for the driver alone. */
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
