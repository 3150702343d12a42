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
