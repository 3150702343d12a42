import { shorten } from "../json/texts.ts";

/**
 * Something in a schema that is valid but may not mean what its author wanted (docs/decisions/0001, "Sketch guards").
 */
export type SchemaWarning = {
  /** A JSON pointer into the schema. */
  path: string;
  /** Its current meaning. */
  message: string;
  /** What to write for another meaning. */
  hint: string;
};

/** A warning without its place. */
export type Doubt = Omit<SchemaWarning, "path">;

/** Returns a text as JSON, cut to a length that fits into a line. */
export function quoted(text: string): string {
  return JSON.stringify(shorten(text, 120));
}
