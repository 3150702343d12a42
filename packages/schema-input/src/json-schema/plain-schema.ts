/** A subschema in the plain dialect that the linker writes. */
export type PlainSchema = boolean | PlainObject;

/** An object schema in the plain dialect. */
export type PlainObject = { [keyword: string]: unknown };

/** The address under which every linked schema is compiled, each by an ajv of its own. */
export const linkedAddress = "schema:linked";

/** A schema in the plain dialect: every reference is `schema:linked#/$defs/<unit>`, and nothing else names anything. */
export type LinkedSchema = { $ref: string; $defs: Record<string, PlainSchema> };

/** The branches of each `anyOf` and `oneOf` of a schema, however many. */
export function alternativesOf(schema: PlainObject): PlainSchema[][] {
  const keywords = ["anyOf", "manyAnyOf", "oneOf", "manyOneOf"];
  return keywords.flatMap((keyword) => (schema[keyword] === undefined ? [] : [schema[keyword] as PlainSchema[]]));
}
