import { isJsonObject } from "@video-to-json/contract";
import { decodePointerStep } from "../answer/schema.ts";
import { invalidArgument } from "../protocol/api-error.ts";

/** Throws Gemini's refusal of a responseJsonSchema: invalid form, misplaced `$ref`, or more than the budget allows. */
export function checkJsonSchema(schema: unknown, budget: SchemaBudget): asserts schema is Record<string, unknown> {
  if (!isJsonObject(schema)) throw invalidSchema("", "must be an object");
  checkNode(schema, "", schema, 0);
  checkCycles(schema);
  checkBudget(schema, budget);
}

/** Returns the definition that a `$ref` names, or undefined if the schema has no such definition. */
function resolveRef(root: Record<string, unknown>, ref: unknown): Record<string, unknown> | undefined {
  if (ref === "#") return root;
  const name = typeof ref === "string" ? /^#\/\$defs\/([^/]+)$/.exec(ref)?.[1] : undefined;
  const defs = root.$defs;
  if (name === undefined || !isJsonObject(defs)) return undefined;
  const key = decodePointerStep(name);
  const target = Object.hasOwn(defs, key) ? defs[key] : undefined;
  return isJsonObject(target) ? target : undefined;
}

const types = ["string", "number", "integer", "boolean", "object", "array", "null"];
const maxDepth = 500;

function checkNode(schema: unknown, at: string, root: Record<string, unknown>, depth: number): void {
  if (typeof schema === "boolean") return;
  if (!isJsonObject(schema) || depth > maxDepth) throw invalidSchema(at, "must be a schema");
  const { type, required, properties, $ref } = schema;
  for (const name of type === undefined ? [] : [type].flat()) {
    if (!types.includes(name as string)) throw invalidSchema(`${at}/type`, `${JSON.stringify(name)} is not a type`);
  }
  if (schema.enum !== undefined) {
    const options = schema.enum;
    const isValid = Array.isArray(options) && options.length > 0 && options.every(isTextOrNumber);
    if (!isValid) throw invalidSchema(`${at}/enum`, "must be a list of strings or numbers");
  }
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === "string"))) {
    throw invalidSchema(`${at}/required`, "must be a list of strings");
  }
  if (properties !== undefined && !isJsonObject(properties))
    throw invalidSchema(`${at}/properties`, "must be an object");
  if ($ref !== undefined) {
    const sibling = Object.keys(schema).find((keyword) => !keyword.startsWith("$"));
    if (sibling !== undefined) throw invalidSchema(at, `$ref allows no sibling such as \`${sibling}\``);
    if (!resolveRef(root, $ref))
      throw invalidSchema(`${at}/$ref`, `${JSON.stringify($ref)} names nothing in the schema`);
  }
  for (const [path, inside] of subschemas(schema)) checkNode(inside, `${at}/${path}`, root, depth + 1);
}

function isTextOrNumber(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}

/** Throws if a `$ref` leads back to itself in any other way than through an optional property. */
function checkCycles(root: Record<string, unknown>): void {
  const done = new Set<object>();
  const follow = (schema: unknown, open: ReadonlySet<object>): void => {
    if (!isJsonObject(schema) || done.has(schema)) return;
    if (open.has(schema)) throw invalidSchema("", "$ref cycles are allowed only in properties that are not required");
    const visited = new Set(open).add(schema);
    const required = Array.isArray(schema.required) ? schema.required : [];
    if (schema.$ref !== undefined) follow(resolveRef(root, schema.$ref), visited);
    for (const [path, inside] of subschemas(schema)) {
      const [keyword = "", ...name] = path.split("/");
      const isOptional = keyword === "properties" && !required.includes(name.join("/"));
      const mayBeEmpty = keyword === "items" && !(Number(schema.minItems) > 0);
      if (keyword === "$defs" || keyword === "additionalProperties" || isOptional || mayBeEmpty) continue;
      follow(inside, visited);
    }
    done.add(schema);
  };
  const followAll = (schema: unknown, seen: Set<object>): void => {
    if (!isJsonObject(schema) || seen.has(schema)) return;
    seen.add(schema);
    follow(schema, new Set());
    for (const [, inside] of subschemas(schema)) followAll(inside, seen);
  };
  followAll(root, new Set());
}

function invalidSchema(at: string, reason: string) {
  return invalidArgument(
    `* GenerateContentRequest.generation_config.response_json_schema${at.replaceAll("/", ".")}: ${reason}\n`,
  );
}

/** The largest schema that is accepted. Gemini has such limits but does not publish them; here flags set them. */
export type SchemaBudget = { states: number; depth: number };

/** Throws one of Gemini's two refusals if a schema is too deep or has too many states. */
function checkBudget(schema: Record<string, unknown>, budget: SchemaBudget): void {
  if (depthOf(schema) > budget.depth) throw invalidArgument(tooDeep);
  if (statesOf(schema) > budget.states) throw tooManyStates();
}

/** Returns Gemini's refusal of a schema with too many states. */
export function tooManyStates() {
  return invalidArgument(
    "The specified schema produces a constraint that has too many states for serving.  Typical causes of this error are schemas with lots of text (for example, very long property or enum names), schemas with long array length limits (especially when nested), or schemas using complex value matchers (for example, integers or numbers with minimum/maximum bounds or strings with complex formats like date-time)",
  );
}

const tooDeep = "A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth.";

function depthOf(schema: unknown): number {
  if (!isJsonObject(schema)) return 0;
  return 1 + subschemas(schema).reduce((max, [, inside]) => Math.max(max, depthOf(inside)), 0);
}

/** An estimate that grows with what the refusal names: long names, array limits, nested above all, and value matchers. */
function statesOf(schema: unknown): number {
  if (!isJsonObject(schema)) return 1;
  let states = 1;
  if (Array.isArray(schema.enum)) for (const option of schema.enum) states += 1 + String(option).length;
  if (schema.minimum !== undefined || schema.maximum !== undefined) states += boundStates;
  if (schema.format !== undefined) states += formatStates;
  for (const [path, inside] of subschemas(schema)) {
    const times = path === "items" ? Math.max(1, Number(schema.maxItems ?? schema.minItems ?? 1) || 1) : 1;
    states += path.length + times * statesOf(inside);
  }
  return states;
}

const boundStates = 40;
const formatStates = 60;

/** Returns the direct subschemas of a schema, each with its path: `properties/name`, `anyOf/0`, `items`. */
function subschemas(schema: Record<string, unknown>): [path: string, subschema: unknown][] {
  const found: [string, unknown][] = [];
  for (const keyword of ["properties", "$defs"]) {
    const inside = schema[keyword];
    if (isJsonObject(inside)) for (const [name, one] of Object.entries(inside)) found.push([`${keyword}/${name}`, one]);
  }
  for (const keyword of ["anyOf", "oneOf", "prefixItems"]) {
    const inside = schema[keyword];
    if (Array.isArray(inside)) for (const [index, one] of inside.entries()) found.push([`${keyword}/${index}`, one]);
  }
  for (const keyword of ["items", "additionalProperties"])
    if (Object.hasOwn(schema, keyword)) found.push([keyword, schema[keyword]]);
  return found;
}
