import { isJsonObject } from "@video-to-json/contract";

type Schema = Record<string, unknown>;

const maxHops = 32;
/** Constraints of the whole list may not apply to its part in a window. */
const boundsOfLists = ["minItems", "maxItems", "contains", "minContains", "maxContains", "uniqueItems"];

/**
 * Returns the part of a JSON Schema that describes some lists: the objects around them without other members, and the
 * lists without length limits. Undefined if a list cannot be found in it.
 *
 * @param pointers JSON pointers of the lists in an answer. No list is inside another.
 */
export function windowSchema(root: Schema, pointers: readonly string[]): Schema | undefined {
  const paths = pointers.map((pointer) =>
    pointer
      .split("/")
      .slice(1)
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~")),
  );
  const narrowed = narrow(root, paths);
  const { $defs, definitions } = root;
  return narrowed && { ...narrowed, ...($defs ? { $defs } : {}), ...(definitions ? { definitions } : {}) };

  function narrow(node: unknown, inside: readonly string[][]): Schema | undefined {
    if (inside.some((path) => path.length === 0)) {
      const list = find(node, (schema) => "items" in schema || "prefixItems" in schema);
      return list && Object.fromEntries(Object.entries(list).filter(([keyword]) => !boundsOfLists.includes(keyword)));
    }
    const byKey = Map.groupBy(inside, ([key = ""]) => key);
    const keys = [...byKey.keys()];
    const has = (schema: Schema, key: string) =>
      isJsonObject(schema.properties) && Object.hasOwn(schema.properties, key);
    const object = find(node, (schema) => keys.every((key) => has(schema, key)));
    if (!object) return undefined;
    const members = keys.map((key) => {
      const rest = (byKey.get(key) ?? []).map(([, ...path]) => path);
      return [key, narrow((object.properties as Schema)[key], rest)] as const;
    });
    if (members.some(([, member]) => member === undefined)) return undefined;
    const { description } = object;
    const about = typeof description === "string" ? { description } : {};
    return { type: "object", ...about, properties: Object.fromEntries(members), required: keys };
  }

  /** Returns the first schema that fits: `node` itself, one of its branches, or one behind a `$ref`. */
  function find(node: unknown, fits: (schema: Schema) => boolean): Schema | undefined {
    const open = [node];
    for (let hops = 0; hops < maxHops && open.length > 0; hops++) {
      const schema = open.shift();
      if (!isJsonObject(schema)) continue;
      if (fits(schema)) return schema;
      for (const branches of [schema.anyOf, schema.oneOf, schema.allOf]) {
        if (Array.isArray(branches)) open.push(...branches);
      }
      if (typeof schema.$ref === "string") open.push(target(schema.$ref));
    }
    return undefined;
  }

  function target(ref: string): unknown {
    const [, kind = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(ref) ?? [];
    const definitions = root[kind];
    return isJsonObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  }
}
