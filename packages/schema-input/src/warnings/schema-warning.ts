/** Something in a schema that is valid and may not mean what its author wanted (docs/decisions/0001, "Sketch guards"). */
export type SchemaWarning = {
  /** A JSON pointer into the schema. */
  path: string;
  /** What it means now. */
  message: string;
  /** What to write if something else is meant. */
  hint: string;
};
