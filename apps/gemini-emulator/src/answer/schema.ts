import { isJsonObject } from "@video-to-json/contract";
/** A JSON Schema node, as far as it is looked at here. */
export type Schema = {
  type?: string | string[];
  title?: string;
  description?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
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

/** A node as a schema: `true` and everything that is none allow anything. */
export function asSchema(node: unknown): Schema {
  return isJsonObject(node) ? (node as Schema) : {};
}

/**
 * The node itself with its `$ref` followed and its `allOf` put together. What it leads to again and again is put
 * together once: `done`.
 */
export function resolve(node: unknown, root: Schema, depth = 0, done = new Map<Schema, Schema>()): Schema {
  const schema = asSchema(node);
  const known = done.get(schema);
  if (known) return known;
  if (depth > deepestRef) return {};
  let resolved = schema;
  if (typeof schema.$ref === "string") {
    const { $ref, ...siblings } = schema;
    resolved = { ...resolve(pointed(root, $ref), root, depth + 1, done), ...siblings };
  }
  if (Array.isArray(resolved.allOf)) {
    const { allOf, ...own } = resolved;
    resolved = [...allOf.map((part) => resolve(part, root, depth + 1, done)), own].reduce<Schema>(both, {});
  }
  done.set(schema, resolved);
  return resolved;
}

/** The types that a node allows, most telling first; told by its keywords when it names none. */
export function typesOf(schema: Schema): string[] {
  if (schema.type !== undefined) return [schema.type].flat().map(String);
  if (schema.properties) return ["object"];
  if (schema.items !== undefined || schema.prefixItems) return ["array"];
  if (schema.minimum !== undefined || schema.maximum !== undefined || schema.multipleOf !== undefined)
    return ["number"];
  return [];
}

/** A bound or length of a node, where it is a number. */
export function bound(schema: Schema, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

const deepestRef = 24;

function pointed(root: Schema, ref: string): unknown {
  if (!ref.startsWith("#")) return {};
  let node: unknown = root;
  for (const step of ref.slice(1).split("/").slice(1)) {
    const key = decode(step);
    if (Array.isArray(node)) node = node[Number(key)];
    else node = isJsonObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;
  }
  return node;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return step;
  }
}

function both(one: Schema, other: Schema): Schema {
  const merged: Schema = { ...one, ...other };
  if (one.properties && other.properties) merged.properties = { ...one.properties, ...other.properties };
  if (one.required && other.required) merged.required = [...new Set([...one.required, ...other.required])];
  return merged;
}
