import { isJsonObject } from "@video-to-json/contract";

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

/**
 * Returns a node with its `$ref` replaced and its `allOf` merged. `done` holds the nodes that are already resolved, so
 * that a node with many references to it is resolved once.
 */
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

/** Returns the value of a numeric keyword, or undefined. */
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
