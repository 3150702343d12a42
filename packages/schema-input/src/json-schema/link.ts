import type { ExactValue, JsonObject } from "../json/json-value.ts";
import { childPointer } from "../json/pointer.ts";
import type { Dialect } from "./dialect.ts";
import { LinkError } from "./link-error.ts";
import { normalise } from "./normalise.ts";
import { type LinkedSchema, linkedAddress, type PlainSchema } from "./plain-schema.ts";
import { type KnownSchema, indexSchema, type Resource } from "./resources.ts";

type Source = { root: JsonObject; dialect: Dialect; exact: ExactValue };
type Scope = ReadonlyMap<string, JsonObject>;
type Unit = { name: string; schema: JsonObject; scope: Scope; pointer: string };

// Dynamic references can make one subschema mean many things; past this it is a bomb.
const maxUnits = 20_000;

/**
 * Resolves every reference of a schema, as its dialect defines references, and writes what can be reached in the plain
 * dialect. `$dynamicRef` and `$recursiveRef` are resolved by writing a subschema once for each dynamic scope in which it
 * can be reached. Throws `LinkError`.
 */
export function link(source: Source, known: (uri: string) => KnownSchema | undefined): LinkedSchema {
  const library = indexSchema(source.root, source.dialect, known);
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
      const resource = library.resourceOf(schema);
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
          const { name } = unitOf(target, entered(scope, library.resourceOf(target)), pointer);
          if (isInPlace) next.push(name);
          return { $ref: `${linkedAddress}#/$defs/${name}` };
        },
      });
    }
  }

  function follow(schema: JsonObject, keyword: string, reference: string, scope: Scope, pointer: string) {
    const resolved = library.resolve(schema, reference);
    if ("fault" in resolved) throw new LinkError(childPointer(pointer, keyword), resolved.fault);
    const { target } = resolved;
    if (keyword === "$ref" || typeof target === "boolean") return target;
    const anchor = keyword === "$recursiveRef" ? "" : reference.slice(reference.indexOf("#") + 1);
    const isDynamic = library.resourceOf(target).dynamicAnchors.get(anchor) === target;
    return (isDynamic && scope.get(anchor)) || target;
  }

  function unitOf(schema: JsonObject, scope: Scope, pointer: string): Unit {
    const key = [idOf(schema), ...[...scope].map(([name, target]) => `${idOf(target)}=${name}`).sort()].join(" ");
    const made = units.get(key);
    if (made) return made;
    if (units.size >= maxUnits) throw new LinkError(pointer, "the schema is too complex to compile");
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

/** The dynamic scope once a resource is entered: of each dynamic anchor the outermost one stays. */
function entered(scope: Scope, resource: Resource): Scope {
  const fresh = [...resource.dynamicAnchors].filter(([name]) => !scope.has(name));
  return fresh.length === 0 ? scope : new Map([...scope, ...fresh]);
}

/** Refuses a schema that would apply itself to the same value for ever, whatever the value. */
function refuseEndlessReferences(start: string, next: ReadonlyMap<string, readonly string[]>): void {
  const reached = new Set([start]);
  for (const name of reached) for (const target of next.get(name) ?? []) reached.add(target);
  const waits = new Map([...reached].map((name) => [name, 0]));
  for (const name of reached)
    for (const target of next.get(name) ?? []) waits.set(target, (waits.get(target) ?? 0) + 1);
  const free = [...reached].filter((name) => waits.get(name) === 0);
  for (const name of free) {
    waits.delete(name);
    for (const target of next.get(name) ?? []) {
      const left = (waits.get(target) ?? 0) - 1;
      waits.set(target, left);
      if (left === 0) free.push(target);
    }
  }
  if (waits.size > 0) throw new LinkError("", "a `$ref` leads back to itself without end; describe a value in between");
}
