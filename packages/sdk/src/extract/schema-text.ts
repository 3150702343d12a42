import { type StandardProperties, standardPropertiesOf, toJsonSchema } from "./standard-schema.ts";

/**
 * A sketch or a JSON Schema: as an object, or as JSON text, which is sent unchanged. Or a schema of Zod, Valibot, ArkType
 * or another library that implements Standard JSON Schema: its JSON Schema is sent, and it parses the answer.
 */
export type SchemaInput = object | string;

/** The text of a schema, and the library's schema that parses the answer. */
export type ReadSchema = { text: string; parser: StandardProperties | undefined };

/** Reads a schema. Throws a TypeError for a value that cannot be written as a JSON object. */
export function readSchema(schema: SchemaInput): ReadSchema {
  if (typeof schema === "string") return { text: schema, parser: undefined };
  const parser = standardPropertiesOf(schema);
  // The result of `z.toJSONSchema` is already a JSON Schema, with the caller's options, and can also parse.
  const isJsonSchema = "$schema" in schema && typeof schema.$schema === "string";
  const text = toText(parser && !isJsonSchema ? toJsonSchema(parser) : schema);
  return { text, parser };
}

function toText(schema: object): string {
  const text = JSON.stringify(schema, refuseForeignObjects) as string | undefined;
  if (text === undefined || text[0] !== "{") {
    throw new TypeError("schema is not an object. Pass a sketch or a JSON Schema, or the JSON text of one.");
  }
  // The service refuses a raw U+FFFD because it is also the replacement for invalid bytes.
  return text.replaceAll("\ufffd", "\\ufffd");
}

/** A replacer that throws for values to which JSON would give another meaning. `this` is the value's holder. */
function refuseForeignObjects(this: unknown, key: string, value: unknown): unknown {
  const place = key === "" ? "schema" : `"${key}" in schema`;
  // ArkType's schemas have `toJSON`, so `value` is its result.
  const original = (this as Record<string, unknown>)[key];
  if (key !== "" && standardPropertiesOf(original)) {
    throw new TypeError(`${place} is a schema of a validation library. Pass such a schema as the whole schema.`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !isPlain(value)) {
    const name = value.constructor?.name || "a class";
    throw new TypeError(`${place} is an instance of ${name}. Pass a plain object, or convert it to JSON Schema first.`);
  }
  return value;
}

/** Returns whether an object is a plain object, also one of another realm. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
