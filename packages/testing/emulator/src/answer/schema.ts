import { isJsonObject } from "@video-to-json/contract";
import { parseJson } from "./answer.ts";

/** A JSON Schema node with the keywords that matter here. */
export type Schema = {
  type?: string | string[];
  title?: string;
  description?: string;
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  properties?: Record<string, unknown>;
  propertyOrdering?: string[];
  required?: string[];
  additionalProperties?: unknown;
  items?: unknown;
  prefixItems?: unknown[];
  anyOf?: unknown[];
  oneOf?: unknown[];
  allOf?: unknown[];
  $ref?: string;
  $defs?: Record<string, unknown>;
  [keyword: string]: unknown;
};

/** Returns a node as a schema. `true` and any value that is not a schema allow everything. */
export function asSchema(node: unknown): Schema {
  return isJsonObject(node) ? (node as Schema) : {};
}

/** Returns a node with its `$ref` replaced and its `allOf` merged. `done` holds the nodes that are resolved. */
export function resolveSchema(node: unknown, root: Schema, depth = 0, done = new Map<Schema, Schema>()): Schema {
  const schema = asSchema(node);
  const known = done.get(schema);
  if (known) return known;
  if (depth > maxRefDepth) return {};
  let resolved = schema;
  if (typeof schema.$ref === "string") {
    const { $ref, ...siblings } = schema;
    resolved = { ...resolveSchema(atPointer(root, $ref), root, depth + 1, done), ...siblings };
  }
  if (Array.isArray(resolved.allOf)) {
    const { allOf, ...own } = resolved;
    resolved = [...allOf.map((part) => resolveSchema(part, root, depth + 1, done)), own].reduce<Schema>(
      mergeSchemas,
      {},
    );
  }
  done.set(schema, resolved);
  return resolved;
}

/** Returns the types that a node allows. Without `type` its keywords decide. */
export function typesOf(schema: Schema): string[] {
  if (schema.type !== undefined) return [schema.type].flat().map(String);
  if (schema.properties) return ["object"];
  if (schema.items !== undefined || schema.prefixItems) return ["array"];
  if (schema.minimum !== undefined || schema.maximum !== undefined || schema.multipleOf !== undefined)
    return ["number"];
  return [];
}

export function bound(schema: Schema, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

const maxRefDepth = 24;

function atPointer(root: Schema, ref: string): unknown {
  if (!ref.startsWith("#")) return {};
  let node: unknown = root;
  for (const step of ref.slice(1).split("/").slice(1)) {
    const key = decodePointerStep(step);
    if (Array.isArray(node)) node = node[Number(key)];
    else node = isJsonObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;
  }
  return node;
}

function mergeSchemas(one: Schema, other: Schema): Schema {
  const merged: Schema = { ...one, ...other };
  if (one.properties && other.properties) merged.properties = { ...one.properties, ...other.properties };
  if (one.required && other.required) merged.required = [...new Set([...one.required, ...other.required])];
  return merged;
}

/** Decodes one step of a JSON pointer in a URI fragment. A step with an invalid escape stays as it is. */
export function decodePointerStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return step;
  }
}

/** Returns the JSON Schema in a prompt: the largest JSON object in it that looks like a schema. */
export function schemaInPrompt(prompt: string): Schema | undefined {
  let found: Schema | undefined;
  let maxLength = 0;
  for (let from = prompt.indexOf("{"); from >= 0; ) {
    const end = endOfObject(prompt, from);
    const value = end === undefined ? undefined : parseJson(prompt.slice(from, end));
    if (end !== undefined && isJsonObject(value)) {
      if (end - from > maxLength && keywords.some((keyword) => keyword in value)) {
        found = value;
        maxLength = end - from;
      }
      from = prompt.indexOf("{", end);
    } else from = prompt.indexOf("{", from + 1);
  }
  return found;
}

const keywords = ["type", "properties", "items", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "$defs"];

/** Returns the end of the object that starts at `from`, or undefined if it has no end. */
function endOfObject(text: string, from: number): number | undefined {
  const token = /"(?:[^"\\\n]|\\.)*"|[{}"]/g;
  token.lastIndex = from;
  let depth = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[0] === '"') return undefined;
    if (match[0] === "{") depth += 1;
    if (match[0] === "}") depth -= 1;
    if (depth === 0) return token.lastIndex;
  }
  return undefined;
}

const constraints = [
  ...["pattern", "format", "minLength", "maxLength", "const", "minimum", "maximum", "exclusiveMinimum"],
  ...["exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "enum"],
];
const maxDepth = 60;

/** A model also follows the schema in its prompt, which has constraints that the response schema cannot express. */
export function addConstraints(node: unknown, fuller: unknown, depth = 0): Schema {
  const schema = asSchema(node);
  if (!isJsonObject(fuller) || depth > maxDepth) return schema;
  const merged: Schema = { ...schema };
  for (const keyword of constraints) if (Object.hasOwn(fuller, keyword)) merged[keyword] ??= fuller[keyword];
  for (const keyword of ["properties", "$defs"] as const) {
    const [mine, theirs] = [schema[keyword], fuller[keyword]];
    if (!isJsonObject(mine) || !isJsonObject(theirs)) continue;
    const entries = Object.entries(mine).map(([name, inside]) => {
      const both = Object.hasOwn(theirs, name) && isJsonObject(inside);
      return [name, both ? addConstraints(inside, theirs[name], depth + 1) : inside];
    });
    merged[keyword] = Object.fromEntries(entries);
  }
  if (isJsonObject(schema.items) && isJsonObject(fuller.items))
    merged.items = addConstraints(schema.items, fuller.items, depth + 1);
  return merged;
}
