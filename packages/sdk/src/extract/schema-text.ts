/** A sketch or a JSON Schema as a value, or the JSON text of one, which is sent as it is written. */
export type SchemaInput = object | string;

/** The text of a schema. Throws a TypeError for what JSON cannot say. */
export function toSchemaText(schema: SchemaInput): string {
  if (typeof schema === "string") return schema;
  const text = JSON.stringify(schema) as string | undefined;
  if (text === undefined || text[0] !== "{") {
    throw new TypeError("schema is no object. Pass a sketch or a JSON Schema, or the JSON text of one.");
  }
  // The service refuses the character itself, since it also stands for bytes that were none.
  return text.replaceAll("\ufffd", "\\ufffd");
}
