/** A sketch or a JSON Schema: as an object, or as JSON text, which is sent unchanged. */
export type SchemaInput = object | string;

/** Returns the JSON text of a schema. Throws a TypeError for a value that is not a JSON object. */
export function toSchemaText(schema: SchemaInput): string {
  if (typeof schema === "string") return schema;
  const text = JSON.stringify(schema) as string | undefined;
  if (text === undefined || text[0] !== "{") {
    throw new TypeError("schema is not an object. Pass a sketch or a JSON Schema, or the JSON text of one.");
  }
  // The service refuses a raw U+FFFD because it is also the replacement for invalid bytes.
  return text.replaceAll("\ufffd", "\\ufffd");
}
