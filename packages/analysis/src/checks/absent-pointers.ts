import { childPointer, isJsonObject } from "@video-to-json/contract";

/**
 * Limits the work on a hostile schema: how many of its parts, of the members of the answer and of the absent keys are
 * visited.
 */
const maxSteps = 100_000;
type Budget = { steps: number };

type Pair = { schema: unknown; value: object; pointer: string };
type Schema = Record<string, unknown>;

/**
 * Returns the JSON pointers of the keys that a schema names and an answer leaves out, in the order of the schema. It
 * follows `properties`, `items`, `prefixItems`, `additionalProperties`, `allOf` and local `$ref`; it ignores a choice
 * between schemas (`anyOf`, `oneOf`, `if`), unless all but one of them allow only null.
 *
 * @param maxBytes the largest size of the list as JSON. If the keys of an object do not fit, the list has the pointer of
 *   the object instead; if even that does not fit, the pointer of the whole answer.
 */
export function absentPointers(root: unknown, data: unknown, maxBytes: number = Number.POSITIVE_INFINITY): string[] {
  const absent = new Set<string>();
  let left = maxBytes - bytesOf("");
  const budget: Budget = { steps: maxSteps };
  const open: Pair[] = [];
  const add = (schema: unknown, value: unknown, pointer: string) => {
    budget.steps--;
    if (isJsonObject(schema) && typeof value === "object" && value !== null) open.push({ schema, value, pointer });
  };
  add(root, data, "");
  // This loop adds entries to the list and reads those entries too.
  for (const { schema, value, pointer } of open) {
    for (const part of partsOf(schema, root, budget)) {
      if (budget.steps <= 0) return [...absent.add("")];
      if (Array.isArray(value))
        value.forEach((item, at) => void add(itemSchema(part, at), item, childPointer(pointer, at)));
      else addMembers(part, value as Schema, pointer);
    }
  }
  return [...absent];

  /** Adds pointers if they all fit. */
  function fits(pointers: readonly string[]): boolean {
    let bytes = 0;
    for (const pointer of pointers) {
      if (!absent.has(pointer)) bytes += bytesOf(pointer);
      if (bytes > left) return false;
    }
    left -= bytes;
    for (const pointer of pointers) absent.add(pointer);
    return true;
  }

  function addMembers(part: Schema, value: Schema, pointer: string): void {
    const properties = isJsonObject(part.properties) ? part.properties : {};
    const missing: string[] = [];
    for (const key of Object.keys(properties)) {
      const at = childPointer(pointer, key);
      if (Object.hasOwn(value, key)) add(properties[key], value[key], at);
      else if (--budget.steps > 0) missing.push(at);
    }
    if (!fits(missing) && !fits([pointer])) absent.add("");
    if (!isJsonObject(part.additionalProperties)) return;
    for (const key of Object.keys(value)) {
      if (!Object.hasOwn(properties, key)) add(part.additionalProperties, value[key], childPointer(pointer, key));
    }
  }
}

/**
 * Returns the parts of a schema that all apply to the value at a pointer of an answer. It follows what `absentPointers` follows.
 */
export function schemasAt(root: unknown, pointer: string): Schema[] {
  const budget: Budget = { steps: maxSteps };
  let open: unknown[] = [root];
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    open = open.flatMap((schema) =>
      [...partsOf(schema, root, budget)].flatMap((part) => {
        const { properties, additionalProperties } = part;
        if (isJsonObject(properties) && Object.hasOwn(properties, key)) return [properties[key]];
        return [/^\d+$/.test(key) ? itemSchema(part, Number(key)) : undefined, additionalProperties].filter(
          isJsonObject,
        );
      }),
    );
  }
  return open.flatMap((schema) => [...partsOf(schema, root, budget)]);
}

/** Returns the size of a pointer in a list, as JSON. */
function bytesOf(pointer: string): number {
  return Buffer.byteLength(JSON.stringify(pointer)) + 1;
}

/** Returns the schema of an item, in the drafts with `prefixItems` and in those with `additionalItems`. */
function itemSchema({ prefixItems, items, additionalItems }: Schema, at: number): unknown {
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  return first[at] ?? (Array.isArray(items) ? additionalItems : items);
}

/**
 * Returns the schemas that all apply to a value: the schema itself, those that it refers to, and the parts of its
 * `allOf`.
 */
function partsOf(schema: unknown, root: unknown, budget: Budget): ReadonlySet<Schema> {
  const parts = new Set<Schema>();
  const open = [schema];
  // This loop adds entries to the list and reads those entries too.
  for (const part of open) {
    if (--budget.steps <= 0) break;
    if (!isJsonObject(part) || parts.has(part)) continue;
    parts.add(part);
    if (typeof part.$ref === "string") open.push(atPointer(root, part.$ref));
    for (const further of [part.allOf, onlyChoice(part.anyOf), onlyChoice(part.oneOf)])
      if (Array.isArray(further)) for (const one of further) open.push(one);
  }
  return parts;
}

/** In `anyOf: [X, null]`, an object conforms to X. */
function onlyChoice(choices: unknown): unknown[] {
  const isNull = (schema: unknown) => isJsonObject(schema) && (schema.type === "null" || schema.const === null);
  const others = Array.isArray(choices) ? choices.filter((choice) => !isNull(choice)) : [];
  return others.length === 1 ? others : [];
}

/** Returns the target of a local reference (`#/…`); undefined for any other. */
function atPointer(root: unknown, reference: string): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let node = root;
  for (const step of reference.split("/").slice(1)) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    node = typeof node === "object" && node !== null && Object.hasOwn(node, key) ? (node as Schema)[key] : undefined;
  }
  return node;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
