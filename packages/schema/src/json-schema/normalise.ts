import { readDecimal } from "../json/decimal.ts";
import { canonicalText, type ExactValue, type JsonObject, type JsonValue } from "../json/json-value.ts";
import { childPointer } from "../json/texts.ts";
import { formats } from "./formats/formats.ts";
import { maxInlineBranches } from "./many-branches.ts";
import { maxInlineProperties } from "./many-properties.ts";
import { compilePattern } from "./pattern.ts";
import { type Dialect, isSince, LinkError, type PlainObject, type PlainSchema } from "./plain-schema.ts";
import { isObject, isSchema } from "./subschemas.ts";

/** The context of a subschema that is being written. */
export type Place = {
  readonly dialect: Dialect;
  readonly exact: ExactValue;
  readonly pointer: string;
  /** Writes a subschema. `inPlace` means that it always applies to the same value as the schema that contains it. */
  subschema(value: JsonObject | boolean, pointer: string, inPlace: boolean): PlainSchema;
  /** Writes the target of a `$ref` or of a dynamic reference. */
  reference(keyword: string, reference: string): PlainSchema;
};

type Writer = (out: PlainObject, value: JsonValue, keyword: string, schema: JsonObject, place: Place) => void;

/**
 * Writes one subschema in the plain dialect: draft-07 with `minContains`, without identifiers, and with exact keywords
 * where ajv loses precision. Keywords that the subschema's own dialect does not define are left out. Throws `LinkError`.
 */
export function normalise(schema: JsonObject, place: Place): PlainSchema {
  const reference = schema.$ref;
  // Up to draft-07 everything beside `$ref` is ignored.
  if (!isSince(place.dialect, "2019-09") && typeof reference === "string") return place.reference("$ref", reference);
  const out: PlainObject = {};
  for (const keyword of Object.keys(schema)) {
    const known = Object.hasOwn(writers, keyword) ? writers[keyword] : undefined;
    const value = schema[keyword];
    if (known && value !== undefined && isSince(place.dialect, known[0])) known[1](out, value, keyword, schema, place);
  }
  return out;
}

const types = ["null", "boolean", "object", "array", "number", "string", "integer"];

const writers: Record<string, readonly [since: Dialect, write: Writer]> = {
  title: ["draft-04", text],
  description: ["draft-04", text],
  $ref: ["2019-09", reference],
  $recursiveRef: ["2019-09", (...given) => given[4].dialect === "2019-09" && reference(...given)],
  $dynamicRef: ["2020-12", reference],
  type: ["draft-04", type],
  enum: [
    "draft-04",
    (out, value, _keyword, _schema, { exact }) => Array.isArray(value) && allow(out, "exactEnum", exact, value),
  ],
  const: [
    "draft-06",
    (out, value, keyword, schema, { exact }) => {
      out.exactConst = canonicalText(exact, value, schema, keyword);
    },
  ],
  multipleOf: [
    "draft-04",
    (out, value, keyword, schema, { exact }) => {
      if (typeof value !== "number") return;
      const step = exact.literal(schema, keyword);
      if (readDecimal(step).digits > 0n) out.exactMultipleOf = step;
    },
  ],
  minimum: ["draft-04", bound("exactMinimum", "exactExclusiveMinimum", "exclusiveMinimum")],
  maximum: ["draft-04", bound("exactMaximum", "exactExclusiveMaximum", "exclusiveMaximum")],
  exclusiveMinimum: ["draft-06", bound("exactExclusiveMinimum")],
  exclusiveMaximum: ["draft-06", bound("exactExclusiveMaximum")],
  minLength: ["draft-04", count],
  maxLength: ["draft-04", count],
  minItems: ["draft-04", count],
  maxItems: ["draft-04", count],
  minProperties: ["draft-04", count],
  maxProperties: ["draft-04", count],
  pattern: [
    "draft-04",
    (out, value, _keyword, _schema, { pointer }) => {
      if (typeof value === "string") out.pattern = checkedPattern(value, childPointer(pointer, "pattern"));
    },
  ],
  format: [
    "draft-04",
    (out, value) => {
      if (typeof value === "string" && formats.has(value)) out.format = value;
    },
  ],
  uniqueItems: [
    "draft-04",
    (out, value) => {
      if (value === true) out.exactUniqueItems = true;
    },
  ],
  required: [
    "draft-04",
    (out, value) => {
      if (Array.isArray(value)) out.required = names(value);
    },
  ],
  properties: ["draft-04", properties],
  patternProperties: ["draft-04", patternProperties],
  additionalProperties: ["draft-04", one],
  propertyNames: ["draft-06", one],
  dependencies: ["draft-04", dependencies],
  dependentRequired: ["2019-09", dependencies],
  dependentSchemas: ["2019-09", dependencies],
  prefixItems: ["2020-12", tuple],
  items: ["draft-04", items],
  additionalItems: ["draft-04", additionalItems],
  contains: ["draft-06", contains],
  allOf: ["draft-04", all],
  anyOf: ["draft-04", branches],
  oneOf: ["draft-04", branches],
  not: ["draft-04", one],
  if: ["draft-07", one],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: ["draft-07", conditional],
  else: ["draft-07", conditional],
  unevaluatedItems: ["2019-09", unevaluated],
  unevaluatedProperties: ["2019-09", unevaluated],
};

function text(...[out, value, keyword]: Parameters<Writer>): void {
  if (typeof value === "string") out[keyword] = value;
}

function count(...[out, value, keyword]: Parameters<Writer>): void {
  if (typeof value === "number" && value >= 0) out[keyword] = Math.min(value, Number.MAX_SAFE_INTEGER);
}

function reference(...[out, value, keyword, , place]: Parameters<Writer>): void {
  if (typeof value === "string") also(out, place.reference(keyword, value));
}

function type(...[out, value, keyword, , { pointer }]: Parameters<Writer>): void {
  const wanted = Array.isArray(value) ? value : [value];
  for (const name of wanted) {
    if (typeof name === "string" && types.includes(name)) continue;
    throw new LinkError(childPointer(pointer, keyword), `is not a type; the types are ${types.join(", ")}`);
  }
  out.type = value;
  if (wanted.includes("integer") && !wanted.includes("number")) out.exactInteger = true;
}

function allow(out: PlainObject, keyword: string, exact: ExactValue, values: JsonValue[]): void {
  out[keyword] = values.map((value, index) => canonicalText(exact, value, values, String(index)));
}

/** `flag` is the draft-04 keyword that excludes the bound itself. */
function bound(keyword: string, exclusive?: string, flag?: string): Writer {
  return (out, value, source, schema, { dialect, exact }) => {
    if (typeof value !== "number") return;
    const strict = dialect === "draft-04" && exclusive && flag && schema[flag] === true;
    out[strict ? exclusive : keyword] = exact.literal(schema, source);
  };
}

function one(...[out, value, keyword, , place]: Parameters<Writer>): void {
  if (isSchema(value)) out[keyword] = place.subschema(value, childPointer(place.pointer, keyword), false);
}

function conditional(...given: Parameters<Writer>): void {
  if (isSchema(given[3].if)) one(...given);
}

function all(...[out, value, keyword, , place]: Parameters<Writer>): void {
  for (const schema of listed(value, keyword, place)) also(out, schema);
}

function branches(...[out, value, keyword, , place]: Parameters<Writer>): void {
  const schemas = listed(value, keyword, place);
  const many = keyword === "anyOf" ? "manyAnyOf" : "manyOneOf";
  if (schemas.length > 0) out[schemas.length > maxInlineBranches ? many : keyword] = schemas;
}

function listed(value: JsonValue, keyword: string, place: Place): PlainSchema[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isSchema).map((schema, index) => {
    return place.subschema(schema, childPointer(childPointer(place.pointer, keyword), index), keyword === "allOf");
  });
}

function map(value: JsonValue, keyword: string, place: Place): [string, PlainSchema][] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, schema]): [string, PlainSchema][] => {
    const at = childPointer(childPointer(place.pointer, keyword), name);
    return isSchema(schema) ? [[name, place.subschema(schema, at, false)]] : [];
  });
}

// ajv ignores a property named `__proto__`, but enforces a pattern that matches it.
function properties(...[out, value, keyword, , place]: Parameters<Writer>): void {
  const all = map(value, keyword, place);
  const plain = all.filter(([name]) => name !== "__proto__");
  if (plain.length > maxInlineProperties) {
    out.properties = Object.fromEntries(plain.map(([name]) => [name, true]));
    out.manyProperties = Object.fromEntries(plain);
  } else if (plain.length > 0) {
    out.properties = Object.fromEntries(plain);
  }
  const special = all.find(([name]) => name === "__proto__");
  if (special) addPatterns(out, [["^__proto__$", special[1]]]);
}

function patternProperties(...[out, value, keyword, , place]: Parameters<Writer>): void {
  const all = map(value, keyword, place).map(([pattern, schema]): [string, PlainSchema] => {
    checkedPattern(pattern, childPointer(childPointer(place.pointer, keyword), pattern));
    return [pattern === "__proto__" ? "(?:__proto__)" : pattern, schema];
  });
  addPatterns(out, all);
}

/** Adds patterns. A pattern that is there already gets both schemas. */
function addPatterns(out: PlainObject, patterns: readonly (readonly [string, PlainSchema])[]): void {
  const merged = new Map(Object.entries((out.patternProperties ?? {}) as { [pattern: string]: PlainSchema }));
  for (const [pattern, schema] of patterns) {
    const other = merged.get(pattern);
    merged.set(pattern, other === undefined ? schema : { allOf: [other, schema] });
  }
  out.patternProperties = Object.fromEntries(merged);
}

function dependencies(...[out, value, keyword, , place]: Parameters<Writer>): void {
  if (!isObject(value)) return;
  for (const [name, wanted] of Object.entries(value)) {
    const at = childPointer(childPointer(place.pointer, keyword), name);
    const needed = Array.isArray(wanted)
      ? { required: names(wanted) }
      : isSchema(wanted) && place.subschema(wanted, at, false);
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    if (Array.isArray(wanted) || isSchema(wanted)) also(out, { if: { required: [name] }, then: needed });
  }
}

function unevaluated(...[out, value, keyword, , place]: Parameters<Writer>): void {
  const exact = keyword === "unevaluatedItems" ? "exactUnevaluatedItems" : "exactUnevaluatedProperties";
  if (isSchema(value)) out[exact] = place.subschema(value, childPointer(place.pointer, keyword), false);
}

function items(...given: Parameters<Writer>): void {
  const [out, value, keyword, schema, place] = given;
  if (Array.isArray(value)) {
    if (place.dialect !== "2020-12") tuple(...given);
  } else if (isSchema(value)) {
    const afterTuple = place.dialect === "2020-12" && Array.isArray(schema.prefixItems);
    out[afterTuple ? "additionalItems" : "items"] = place.subschema(value, childPointer(place.pointer, keyword), false);
  }
}

function tuple(...[out, value, keyword, , place]: Parameters<Writer>): void {
  const schemas = listed(value, keyword, place);
  if (schemas.length > 0) out.items = schemas;
}

function additionalItems(...[out, value, keyword, schema, place]: Parameters<Writer>): void {
  if (place.dialect === "2020-12" || !Array.isArray(schema.items) || !isSchema(value)) return;
  out.additionalItems = place.subschema(value, childPointer(place.pointer, keyword), false);
}

function contains(...given: Parameters<Writer>): void {
  const [out, , , schema, place] = given;
  one(...given);
  if (!isSince(place.dialect, "2019-09")) return;
  count(out, schema.minContains ?? null, "minContains", schema, place);
  count(out, schema.maxContains ?? null, "maxContains", schema, place);
  if (place.dialect === "2020-12") out.containsEvaluates = true;
}

/** Adds a schema to `allOf`. */
function also(out: PlainObject, schema: PlainSchema): void {
  const all = (out.allOf ?? []) as PlainSchema[];
  out.allOf = [...all, schema];
}

function names(values: JsonValue[]): string[] {
  return [...new Set(values.filter((value) => typeof value === "string"))];
}

function checkedPattern(pattern: string, pointer: string): string {
  try {
    compilePattern(pattern);
    return pattern;
  } catch (error) {
    throw new LinkError(
      pointer,
      `is not a regular expression: ${error instanceof Error ? error.message : "unreadable"}`,
    );
  }
}
