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

/** The reason why a schema cannot be compiled. The message is `<JSON pointer>: <reason>`. */
export class LinkError extends Error {
  constructor(pointer: string, reason: string) {
    super(`${pointer}: ${reason}`);
    this.name = "LinkError";
  }
}

/** The supported dialects of JSON Schema, oldest first. */
export const dialects = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"] as const;

/** A supported dialect. */
export type Dialect = (typeof dialects)[number];

const spelling = /^https?:\/\/json-schema\.org\/(?:draft\/)?(draft-0[467]|2019-09|2020-12)\/(?:hyper-)?schema\/?#?\/?$/;

/** Returns the dialect that `$schema` names, with http or https and with or without `#`, or undefined. */
export function readDialect(uri: unknown): Dialect | undefined {
  const name = typeof uri === "string" ? spelling.exec(uri.trim())?.[1] : undefined;
  return dialects.find((dialect) => dialect === name);
}

/** Returns whether a dialect is `first` or a later one. */
export function isSince(dialect: Dialect, first: Dialect): boolean {
  return dialects.indexOf(dialect) >= dialects.indexOf(first);
}
