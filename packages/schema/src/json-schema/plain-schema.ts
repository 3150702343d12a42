/** A subschema in the plain dialect, which the linker writes and ajv compiles. */
export type PlainSchema = boolean | PlainObject;

/** An object schema in the plain dialect. */
export type PlainObject = { [keyword: string]: unknown };

/** The address of every linked schema. Each one is compiled by its own ajv. */
export const linkedAddress = "schema:linked";

/** A schema in the plain dialect. Every reference is `schema:linked#/$defs/<unit>`; there are no other identifiers. */
export type LinkedSchema = { $ref: string; $defs: Record<string, PlainSchema> };

/** Returns the branches of each `anyOf` and `oneOf` of a schema, in both spellings of the plain dialect. */
export function alternativesOf(schema: PlainObject): PlainSchema[][] {
  const keywords = ["anyOf", "manyAnyOf", "oneOf", "manyOneOf"];
  return keywords.flatMap((keyword) => (schema[keyword] === undefined ? [] : [schema[keyword] as PlainSchema[]]));
}
