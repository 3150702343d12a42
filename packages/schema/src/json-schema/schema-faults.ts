import type { ErrorObject } from "ajv";
import type { ExactValue, JsonObject, JsonValue } from "../json/json-value.ts";
import { childPointer } from "../json/texts.ts";
import { originalOf } from "./many-properties.ts";
import { type Dialect, readDialect } from "./plain-schema.ts";
import { indexSchema, type KnownSchema } from "./resources.ts";
import { isObject } from "./subschemas.ts";
import { describeTypeFault } from "./type-fault.ts";
import type { Validator } from "./validator.ts";
import { type Violation, violationText } from "./violation.ts";
import { maxViolations, violationsOf } from "./violations.ts";

type Judged = { root: JsonObject; dialect: Dialect; exact: ExactValue };
type Metaschemas = {
  validatorOf(dialect: Dialect): Validator;
  known(uri: string): KnownSchema | undefined;
};
type Part = { pointer: string; schema: JsonObject; dialect: Dialect };

/**
 * Returns the violations of a schema's metaschema, as `<JSON pointer>: <reason>`: one text per fault. A resource inside
 * it with another dialect is checked by that dialect.
 */
export function schemaFaults({ validatorOf, known }: Metaschemas, { root, dialect, exact }: Judged): string[] {
  const parts = foreignParts(root, dialect, known);
  const foreign = new Set(parts.map(({ pointer }) => pointer));
  const faults = [{ pointer: "", schema: root, dialect }, ...parts].flatMap((part) => {
    const errors = validatorOf(part.dialect)({ value: part.schema, literal: exact.literal }).map(originalOf);
    const own = onePerFault(errors).filter(({ instancePath }) =>
      placesAround(instancePath).every((place) => place === "" || !foreign.has(part.pointer + place)),
    );
    return violationsFrom(own).map(({ at, reason }) => ({ at: part.pointer + at, reason }));
  });
  return [...new Set(faults.map(violationText))].slice(0, maxViolations);
}

/** Returns the resources inside a schema whose dialect differs from that of the schema around them. */
function foreignParts(root: JsonObject, dialect: Dialect, known: Metaschemas["known"]): Part[] {
  const parts: Part[] = [];
  visit(root, "", (value) => {
    if (value !== root && readDialect(value.$schema) !== undefined) parts.push({ pointer: "", schema: value, dialect });
  });
  if (parts.length === 0) return [];
  const index = indexSchema(root, dialect, known);
  const dialects = new Map([...index.resources()].map((resource) => [resource.root, resource.dialect]));
  const found: Part[] = [];
  visit(root, "", (schema, pointer) => {
    const own = dialects.get(schema);
    const around = found.findLast((part) => placesAround(pointer).includes(part.pointer))?.dialect ?? dialect;
    if (own !== undefined && own !== around) found.push({ pointer, schema, dialect: own });
  });
  return found;
}

/** Calls `see` for every object inside a value, outer ones first. Recurses. */
function visit(value: JsonValue, pointer: string, see: (value: JsonObject, pointer: string) => void): void {
  if (isObject(value)) see(value, pointer);
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) visit(inner, childPointer(pointer, key), see);
}

// When an alternative fails, its branches report these errors at the place of the alternative itself.
const branchKeywords: ReadonlySet<string> = new Set(["anyOf", "oneOf", "type", "exactEnum"]);

/** Returns the errors without those of alternatives that the schema's author did not mean. */
function onePerFault(errors: readonly ErrorObject[]): ErrorObject[] {
  const alternatives = new Set(errors.filter(({ keyword }) => keyword === "anyOf").map((error) => error.instancePath));
  const precise = new Set(
    errors.flatMap(({ instancePath, keyword }) =>
      placesAround(instancePath).filter((place) => place !== instancePath || !branchKeywords.has(keyword)),
    ),
  );
  const isBranch = ({ instancePath, keyword }: ErrorObject) =>
    branchKeywords.has(keyword) && alternatives.has(instancePath) && precise.has(instancePath);
  return errors.filter((error) => error.keyword !== "anyOf" && !isBranch(error));
}

/** Returns a JSON pointer and the pointers of everything around its place: `/a/b`, `/a` and the empty one. */
function placesAround(pointer: string): string[] {
  const places = [pointer];
  for (let end = pointer.lastIndexOf("/"); end >= 0; end = end === 0 ? -1 : pointer.lastIndexOf("/", end - 1))
    places.push(pointer.slice(0, end));
  return places;
}

/** Returns the violations. If several types are allowed at a place, one violation lists them. */
function violationsFrom(errors: readonly ErrorObject[]): Violation[] {
  const types = Map.groupBy(
    errors.filter(({ keyword }) => keyword === "type"),
    ({ instancePath }) => instancePath,
  );
  const namesOfTypes = new Set(
    errors.filter(({ keyword }) => keyword === "exactEnum").map(({ instancePath }) => instancePath),
  );
  return errors.flatMap((error): Violation[] => {
    if (error.keyword === "exactEnum") return [{ at: error.instancePath, reason: describeTypeFault(error.data) }];
    if (error.keyword !== "type") return violationsOf([error]);
    const same = types.get(error.instancePath) ?? [];
    if (same[0] !== error || namesOfTypes.has(error.instancePath)) return [];
    const type = [...new Set(same.flatMap(({ params }) => [params.type].flat()))];
    return violationsOf([{ ...error, params: { type } }]);
  });
}
