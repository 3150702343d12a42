import type { ExactValue, JsonObject } from "../json/json-value.ts";
import { childPointer } from "../json/texts.ts";
import { normalise } from "./normalise.ts";
import { type Dialect, LinkError, type LinkedSchema, linkedAddress, type PlainSchema } from "./plain-schema.ts";
import { indexSchema, type KnownSchema, type Resource } from "./resources.ts";

type Source = { root: JsonObject; dialect: Dialect; exact: ExactValue };
type Scope = ReadonlyMap<string, JsonObject>;
type Unit = { name: string; schema: JsonObject; scope: Scope; pointer: string };

// Dynamic references can give one subschema many meanings. A schema with more units than this is an attack.
const maxUnits = 20_000;

/**
 * Resolves every reference of a schema by the rules of its dialect, and writes the reachable subschemas in the plain
 * dialect. A subschema is written once for each dynamic scope in which `$dynamicRef` or `$recursiveRef` reaches it.
 * `known` returns the schemas with an absolute address that need no fetch. Throws `LinkError`.
 */
export function link(source: Source, known: (uri: string) => KnownSchema | undefined): LinkedSchema {
  const index = indexSchema(source.root, source.dialect, known);
  const ids = new Map<JsonObject, number>();
  const units = new Map<string, Unit>();
  const waiting: Unit[] = [];
  const $defs: Record<string, PlainSchema> = {};
  const inPlace = new Map<string, string[]>();

  const first = unitOf(source.root, new Map(), "");
  for (let unit = waiting.pop(); unit; unit = waiting.pop()) $defs[unit.name] = write(unit);
  refuseEndlessReferences(first.name, inPlace);
  return { $ref: `${linkedAddress}#/$defs/${first.name}`, $defs };

  function write(unit: Unit): PlainSchema {
    const next: string[] = [];
    inPlace.set(unit.name, next);
    return plain(unit.schema, unit.scope, unit.pointer, true);

    function plain(schema: JsonObject, outer: Scope, pointer: string, isInPlace: boolean): PlainSchema {
      const resource = index.resourceOf(schema);
      const scope = entered(outer, resource);
      return normalise(schema, {
        dialect: resource.dialect,
        exact: source.exact,
        pointer,
        subschema: (value, at, stays) =>
          typeof value === "boolean" ? value : plain(value, scope, at, isInPlace && stays),
        reference(keyword, reference) {
          const target = follow(schema, keyword, reference, scope, pointer);
          if (typeof target === "boolean") return target;
          const { name } = unitOf(target, entered(scope, index.resourceOf(target)), pointer);
          if (isInPlace) next.push(name);
          return { $ref: `${linkedAddress}#/$defs/${name}` };
        },
      });
    }
  }

  function follow(schema: JsonObject, keyword: string, reference: string, scope: Scope, pointer: string) {
    const resolved = index.resolve(schema, reference);
    if ("error" in resolved) throw new LinkError(childPointer(pointer, keyword), resolved.error);
    const { target } = resolved;
    if (keyword === "$ref" || typeof target === "boolean") return target;
    const anchor = keyword === "$recursiveRef" ? "" : reference.slice(reference.indexOf("#") + 1);
    const isDynamic = index.resourceOf(target).dynamicAnchors.get(anchor) === target;
    return (isDynamic && scope.get(anchor)) || target;
  }

  function unitOf(schema: JsonObject, scope: Scope, pointer: string): Unit {
    const key = [idOf(schema), ...[...scope].map(([name, target]) => `${idOf(target)}=${name}`).sort()].join(" ");
    const made = units.get(key);
    if (made) return made;
    if (units.size >= maxUnits)
      throw new LinkError(pointer, "is part of a schema that is too complex to compile; use fewer references");
    const unit = { name: `u${units.size}`, schema, scope, pointer };
    units.set(key, unit);
    waiting.push(unit);
    return unit;
  }

  function idOf(schema: JsonObject): number {
    const id = ids.get(schema) ?? ids.size;
    ids.set(schema, id);
    return id;
  }
}

/** Returns the dynamic scope inside a resource. The outermost anchor of each name wins. */
function entered(scope: Scope, resource: Resource): Scope {
  const fresh = [...resource.dynamicAnchors].filter(([name]) => !scope.has(name));
  return fresh.length === 0 ? scope : new Map([...scope, ...fresh]);
}

/** Throws for a schema that applies itself to the same value without end. */
function refuseEndlessReferences(start: string, next: ReadonlyMap<string, readonly string[]>): void {
  const reached = new Set([start]);
  for (const name of reached) for (const target of next.get(name) ?? []) reached.add(target);
  const incoming = new Map([...reached].map((name) => [name, 0]));
  for (const name of reached)
    for (const target of next.get(name) ?? []) incoming.set(target, (incoming.get(target) ?? 0) + 1);
  const free = [...reached].filter((name) => incoming.get(name) === 0);
  for (const name of free) {
    incoming.delete(name);
    for (const target of next.get(name) ?? []) {
      const left = (incoming.get(target) ?? 0) - 1;
      incoming.set(target, left);
      if (left === 0) free.push(target);
    }
  }
  if (incoming.size > 0)
    throw new LinkError("", "a `$ref` leads back to itself without end; put `properties` or `items` in between");
}
