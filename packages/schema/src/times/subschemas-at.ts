import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { pointerSteps } from "../json/texts.ts";
import { isObject } from "../json-schema/subschemas.ts";

/** The parts of a JSON Schema that apply at one place of an answer, with `$ref`s resolved. */
export type SchemasAt = readonly JsonObject[];

/** Finds the parts of a schema that apply to the members of an answer. It visits a limited number of them. */
export type SchemaPlaces = {
  root: SchemasAt;
  member(at: SchemasAt, key: string): SchemasAt;
  item(at: SchemasAt, index: number): SchemasAt;
};

const maxLooks = 200_000;
const maxParts = 64;

/** Opens a schema. All branches of `anyOf` and `oneOf` count, because a time has the same meaning in each of them. */
export function openSchemaPlaces(root: JsonValue): SchemaPlaces {
  let looks = 0;

  function partsOf(nodes: readonly (JsonValue | undefined)[]): SchemasAt {
    const found = new Set<JsonObject>();
    const open = [...nodes];
    while (open.length > 0 && found.size < maxParts && looks++ < maxLooks) {
      const node = open.shift();
      if (!isObject(node) || found.has(node)) continue;
      found.add(node);
      for (const keyword of ["allOf", "anyOf", "oneOf"]) {
        const branches = node[keyword];
        if (Array.isArray(branches)) open.push(...branches);
      }
      open.push(node.then, node.else);
      if (typeof node.$ref === "string") open.push(target(node.$ref));
    }
    return [...found];
  }

  function target(ref: string): JsonValue | undefined {
    if (!ref.startsWith("#")) return undefined;
    let node: JsonValue | undefined = root;
    for (const step of pointerSteps(decode(ref.slice(1))) ?? []) {
      node = Array.isArray(node) ? node[Number(step)] : isObject(node) ? node[step] : undefined;
    }
    return node;
  }

  return {
    root: partsOf([root]),
    member: (at, key) =>
      partsOf(
        at.map((schema) => {
          const named = isObject(schema.properties) ? schema.properties[key] : undefined;
          return named ?? schema.additionalProperties;
        }),
      ),
    item: (at, index) =>
      partsOf(
        at.map(({ prefixItems, items, additionalItems }) => {
          const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
          return tuple[index] ?? (Array.isArray(items) ? additionalItems : items);
        }),
      ),
  };
}

/** Returns the texts of a keyword in all parts. */
export function textsOf(at: SchemasAt, keyword: string): string[] {
  return at.flatMap(({ [keyword]: text }) => (typeof text === "string" ? [text] : []));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
