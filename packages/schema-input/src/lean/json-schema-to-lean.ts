import { shorten, wellFormed } from "../json/well-formed.ts";
import type { LinkedSchema, PlainObject, PlainSchema } from "../json-schema/plain-schema.ts";
import { inSentences } from "../sentences.ts";
import { openReachability, unitName } from "./cycles.ts";
import { type Facts, gatherFacts } from "./facts.ts";
import { leanValues, noteValues } from "./lean-values.ts";

type Lean = Record<string, unknown>;

/** Where a subschema stands: the unit being written, the units written out on the way to it, the type it inherits. */
type Place = { unit: string; inlined: readonly string[]; underProperty: boolean; types?: string[] };

const mostParts = 3000;
const mostBranches = 12;
const longestDescription = 1000;

/**
 * The lean copy of a JSON Schema: only what the model's constrained decoding takes and serves well, the rest told in
 * descriptions or left to the prompt. It is looser than the schema, never stricter, except that a subschema with
 * `properties` or `items` and no `type` is taken to mean an object or an array. Null when the root has no type to give.
 */
export function jsonSchemaToLean(linked: LinkedSchema): Lean | null {
  const reaches = openReachability(linked);
  const $defs: Record<string, Lean> = {};
  const wanted: string[] = [];
  let parts = 0;

  const first = unitName(linked.$ref);
  const root = write(linked.$defs[first] ?? true, { unit: first, inlined: [first], underProperty: false }, true).lean;
  for (let name = wanted.pop(); name !== undefined && parts <= mostParts; name = wanted.pop()) {
    $defs[name] = write(linked.$defs[name] ?? true, { unit: name, inlined: [name], underProperty: false }).lean;
  }
  const expressible = root.type !== undefined || root.anyOf !== undefined;
  if (parts > mostParts || !expressible) return null;
  return Object.keys($defs).length > 0 ? { ...root, $defs } : root;

  /** `isCyclic` when it leads back to the unit being written. */
  function write(schema: PlainSchema, place: Place, isRoot = false): { lean: Lean; isCyclic: boolean } {
    if (++parts > mostParts) return { lean: {}, isCyclic: false };
    const alone = isRoot ? undefined : loneReference(schema);
    if (alone !== undefined) return reference(unitName(alone), place);
    const inlined = [...place.inlined];
    const facts = gatherFacts(schema, (target) => {
      const name = unitName(target);
      if (inlined.includes(name)) return undefined;
      inlined.push(name);
      return linked.$defs[name];
    });
    return facts ? writeFacts(facts, { ...place, inlined }) : { lean: {}, isCyclic: false };
  }

  function reference(name: string, place: Place): { lean: Lean; isCyclic: boolean } {
    const isCyclic = name === place.unit || reaches(name, place.unit);
    // A cycle may only lead through a key that can be left out.
    if (isCyclic && !place.underProperty) return { lean: {}, isCyclic: false };
    if (!Object.hasOwn($defs, name)) {
      $defs[name] = {};
      wanted.push(name);
    }
    return { lean: { $ref: `#/$defs/${name}` }, isCyclic };
  }

  function writeFacts(facts: Facts, place: Place): { lean: Lean; isCyclic: boolean } {
    const types = facts.types ?? impliedTypes(facts) ?? place.types;
    const values = facts.values && leanValues(facts.values, types);
    if (values) return { lean: { ...values, ...annotations(facts) }, isCyclic: false };
    const words = annotations({ ...facts, notes: [...noteValues(facts.values ?? []), ...facts.notes] });
    const branches = facts.alternatives.length === 1 ? writeBranches(facts, types, place) : undefined;
    if (branches) return { lean: { ...words, anyOf: branches.leans }, isCyclic: branches.isCyclic };
    const object = types?.includes("object") === false ? undefined : writeObject(facts, place);
    const array = types?.includes("array") === false ? undefined : writeArray(facts, place);
    return {
      lean: { ...(types && { type: types.length === 1 ? types[0] : types }), ...object, ...array?.lean, ...words },
      isCyclic: array?.isCyclic === true,
    };
  }

  function writeBranches(facts: Facts, types: string[] | undefined, place: Place) {
    const [branches = []] = facts.alternatives;
    const possible = branches.filter((branch) => branch !== false);
    if (possible.length > mostBranches || possible.includes(true) || possible.length === 0) return undefined;
    const base = baseOf(facts);
    const written = possible.map((branch) => {
      const schema = base ? { allOf: [base, branch] } : branch;
      return write(schema, { ...place, ...(types && { types }) });
    });
    if (written.some(({ lean }) => Object.keys(lean).length === 0)) return undefined;
    return { leans: written.map(({ lean }) => lean), isCyclic: written.some(({ isCyclic }) => isCyclic) };
  }

  function writeObject(facts: Facts, place: Place): Lean {
    const entries: [string, Lean][] = [];
    const required = new Set(facts.required);
    for (const [name, schemas] of facts.properties) {
      if (schemas.includes(false)) continue;
      const schema = schemas.length === 1 && schemas[0] !== undefined ? schemas[0] : { allOf: schemas };
      const { lean, isCyclic } = write(schema, { unit: place.unit, inlined: place.inlined, underProperty: true });
      if (isCyclic) required.delete(name);
      entries.push([name, lean]);
    }
    const names = entries.map(([name]) => name);
    const kept = names.filter((name) => required.has(name));
    return {
      ...(names.length > 0 && { properties: Object.fromEntries(entries) }),
      ...(kept.length > 0 && { required: kept }),
      ...(facts.additional === false && { additionalProperties: false }),
      ...(isMap(facts) && {
        additionalProperties: write(facts.additional as PlainObject, { ...place, underProperty: false }).lean,
      }),
      ...(names.length > 1 && { propertyOrdering: names }),
    };
  }

  function writeArray(facts: Facts, place: Place): { lean: Lean; isCyclic: boolean } {
    const inside = { unit: place.unit, inlined: place.inlined, underProperty: place.underProperty };
    const tuple = facts.tuple?.map((item) => write(item, inside)) ?? [];
    const items = typeof facts.items === "object" ? write(facts.items, inside) : undefined;
    return {
      lean: {
        ...(tuple.length > 0 && { prefixItems: tuple.map(({ lean }) => lean) }),
        ...(items && { items: items.lean }),
      },
      isCyclic: [...tuple, items].some((part) => part?.isCyclic === true),
    };
  }
}

/** The reference when a subschema says nothing else of its value. */
function loneReference(schema: PlainSchema): string | undefined {
  if (typeof schema === "boolean") return undefined;
  const keywords = Object.keys(schema).filter((keyword) => keyword !== "title" && keyword !== "description");
  if (keywords.length !== 1) return undefined;
  if (typeof schema.$ref === "string") return schema.$ref;
  const all = (schema.allOf ?? []) as PlainSchema[];
  return all.length === 1 && all[0] !== undefined ? loneReference(all[0]) : undefined;
}

function annotations({ title, description, notes }: Facts): Lean {
  const words = inSentences([description, ...[...new Set(notes)].map((note) => `${note}.`)]);
  return {
    ...(title !== undefined && { title: told(title) }),
    ...(words !== undefined && { description: told(words) }),
  };
}

function impliedTypes(facts: Facts): string[] | undefined {
  const isObject = facts.properties.size > 0;
  const isArray = facts.tuple !== undefined || facts.items !== undefined;
  if (isObject === isArray) return undefined;
  return [isObject ? "object" : "array"];
}

/** What is said beside the alternatives, to be said in each; undefined when that is no more than a type. */
function baseOf({ properties, required, items, tuple }: Facts): PlainObject | undefined {
  if (properties.size === 0 && required.size === 0 && items === undefined && tuple === undefined) return undefined;
  return {
    ...(properties.size > 0 && {
      properties: Object.fromEntries([...properties].map(([name, schemas]) => [name, { allOf: schemas }])),
    }),
    ...(required.size > 0 && { required: [...required] }),
    ...(tuple
      ? { items: tuple, ...(items !== undefined && { additionalItems: items }) }
      : items !== undefined && { items }),
  };
}

function isMap({ additional }: Facts): boolean {
  return typeof additional === "object" && Object.keys(additional).length > 0;
}

function told(text: string): string {
  return wellFormed(shorten(text, longestDescription));
}
