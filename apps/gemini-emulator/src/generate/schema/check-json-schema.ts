import { isJsonObject } from "@video-to-json/contract";
import { invalidArgument } from "../../protocol/api-error.ts";
import { checkBudget, type SchemaBudget } from "./schema-budget.ts";

/** Throws what the service refuses of a responseJsonSchema: a wrong form, a `$ref` out of place, too much of it. */
export function checkJsonSchema(schema: unknown, budget: SchemaBudget): asserts schema is Record<string, unknown> {
  if (!isJsonObject(schema)) throw wrong("", "must be an object");
  checkNode(schema, "", schema, 0);
  checkCycles(schema);
  checkBudget(schema, budget);
}

/** The subschemas directly inside one, by keyword. */
export function subschemas(schema: Record<string, unknown>): [string, unknown][] {
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

/** What a local `$ref` names; undefined when it names nothing. */
function resolveRef(root: Record<string, unknown>, ref: unknown): Record<string, unknown> | undefined {
  if (ref === "#") return root;
  const name = typeof ref === "string" ? /^#\/\$defs\/([^/]+)$/.exec(ref)?.[1] : undefined;
  const defs = root.$defs;
  if (name === undefined || !isJsonObject(defs)) return undefined;
  const key = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
  const target = Object.hasOwn(defs, key) ? defs[key] : undefined;
  return isJsonObject(target) ? target : undefined;
}

const types = ["string", "number", "integer", "boolean", "object", "array", "null"];
const deepest = 500;

function checkNode(schema: unknown, at: string, root: Record<string, unknown>, depth: number): void {
  if (typeof schema === "boolean") return;
  if (!isJsonObject(schema) || depth > deepest) throw wrong(at, "must be a schema");
  const { type, required, properties, $ref } = schema;
  for (const name of type === undefined ? [] : [type].flat()) {
    if (!types.includes(name as string)) throw wrong(`${at}/type`, `${JSON.stringify(name)} is not a type`);
  }
  if (schema.enum !== undefined) {
    const options = schema.enum;
    const fine = Array.isArray(options) && options.length > 0 && options.every(isTextOrNumber);
    if (!fine) throw wrong(`${at}/enum`, "must be a list of strings or numbers");
  }
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === "string"))) {
    throw wrong(`${at}/required`, "must be a list of strings");
  }
  if (properties !== undefined && !isJsonObject(properties)) throw wrong(`${at}/properties`, "must be an object");
  if ($ref !== undefined) {
    const sibling = Object.keys(schema).find((keyword) => !keyword.startsWith("$"));
    if (sibling !== undefined) throw wrong(at, `$ref allows no sibling such as \`${sibling}\``);
    if (!resolveRef(root, $ref)) throw wrong(`${at}/$ref`, `${JSON.stringify($ref)} names nothing in the schema`);
  }
  for (const [place, inside] of subschemas(schema)) checkNode(inside, `${at}/${place}`, root, depth + 1);
}

function isTextOrNumber(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}

/** A `$ref` may lead back to itself only through a property that may be left out. */
function checkCycles(root: Record<string, unknown>): void {
  const done = new Set<object>();
  const follow = (schema: unknown, open: ReadonlySet<object>): void => {
    if (!isJsonObject(schema) || done.has(schema)) return;
    if (open.has(schema)) throw wrong("", "$ref cycles are allowed only in properties that are not required");
    const now = new Set(open).add(schema);
    const required = Array.isArray(schema.required) ? schema.required : [];
    if (schema.$ref !== undefined) follow(resolveRef(root, schema.$ref), now);
    for (const [place, inside] of subschemas(schema)) {
      const [keyword = "", ...name] = place.split("/");
      const mayBeAbsent = keyword === "properties" && !required.includes(name.join("/"));
      const emptyList = keyword === "items" && !(Number(schema.minItems) > 0);
      if (keyword === "$defs" || keyword === "additionalProperties" || mayBeAbsent || emptyList) continue;
      follow(inside, now);
    }
    done.add(schema);
  };
  const all = (schema: unknown, seen: Set<object>): void => {
    if (!isJsonObject(schema) || seen.has(schema)) return;
    seen.add(schema);
    follow(schema, new Set());
    for (const [, inside] of subschemas(schema)) all(inside, seen);
  };
  all(root, new Set());
}

function wrong(at: string, reason: string) {
  return invalidArgument(
    `* GenerateContentRequest.generation_config.response_json_schema${at.replaceAll("/", ".")}: ${reason}\n`,
  );
}
