import { alternativesOf, type PlainObject, type PlainSchema } from "../json-schema/plain-schema.ts";
import { noteBounds } from "./notes.ts";

/** What a subschema says of a value, with everything that applies to the same value put together. */
export type Facts = {
  title: string | undefined;
  description: string | undefined;
  /** The types allowed, or undefined for any. */
  types: string[] | undefined;
  /** The values allowed, as JSON texts, or undefined for any. */
  values: string[] | undefined;
  properties: Map<string, PlainSchema[]>;
  required: Set<string>;
  /** What `additionalProperties` says, where it is safe to say so. */
  additional: PlainSchema | undefined;
  tuple: PlainSchema[] | undefined;
  items: PlainSchema | undefined;
  /** Each `anyOf` and `oneOf` that is more than a list of values. */
  alternatives: PlainSchema[][];
  /** What cannot be enforced by the copy, in words. */
  notes: string[];
};

/**
 * Puts together what a subschema and all it includes by `allOf` and references say of one value. Whatever cannot be put
 * together is left out, so that the facts are never stricter than the schema. `unitOf` gives what a reference leads to, or
 * undefined to leave it out. Undefined when nothing conforms.
 */
export function gatherFacts(
  schema: PlainSchema,
  unitOf: (reference: string) => PlainSchema | undefined,
): Facts | undefined {
  const facts: Facts = {
    title: undefined,
    description: undefined,
    types: undefined,
    values: undefined,
    properties: new Map(),
    required: new Set(),
    additional: undefined,
    tuple: undefined,
    items: undefined,
    alternatives: [],
    notes: [],
  };
  let sources = 0;
  let closed: PlainSchema | undefined;
  const followed = new Set<string>();
  if (!gather(schema)) return undefined;
  // A key that one part forbids may be asked for by another: only a single part can close an object.
  if (sources === 1) facts.additional = closed;
  return facts;

  function gather(part: PlainSchema): boolean {
    if (typeof part === "boolean") return part;
    if (typeof part.$ref === "string" && !followed.has(part.$ref)) {
      followed.add(part.$ref);
      const unit = unitOf(part.$ref);
      if (unit !== undefined && !gather(unit)) return false;
    }
    facts.title ??= text(part.title);
    facts.description ??= text(part.description);
    facts.values ??= valuesOf(part);
    if (!narrowTypes(part.type)) return false;
    gatherObject(part);
    gatherArray(part);
    for (const branches of alternativesOf(part)) {
      const constants = branches.map(constantsOf);
      if (constants.every((values) => values !== undefined)) facts.values ??= constants.flat();
      else facts.alternatives.push(branches);
    }
    facts.notes.push(...noteBounds(part));
    return ((part.allOf ?? []) as PlainSchema[]).every(gather);
  }

  function narrowTypes(type: unknown): boolean {
    if (type === undefined) return true;
    const named = [type].flat() as string[];
    facts.types = facts.types ? intersect(facts.types, named) : named;
    return facts.types.length > 0;
  }

  function gatherObject(part: PlainObject): void {
    for (const name of (part.required ?? []) as string[]) facts.required.add(name);
    for (const [name, value] of Object.entries(
      (part.manyProperties ?? part.properties ?? {}) as Record<string, PlainSchema>,
    )) {
      facts.properties.set(name, [...(facts.properties.get(name) ?? []), value]);
    }
    const shapes = ["properties", "patternProperties", "additionalProperties", "exactUnevaluatedProperties"];
    if (!shapes.some((keyword) => part[keyword] !== undefined)) return;
    sources++;
    closed = part.patternProperties === undefined ? (part.additionalProperties as PlainSchema | undefined) : undefined;
  }

  function gatherArray(part: PlainObject): void {
    const { items, additionalItems } = part as { items?: PlainSchema | PlainSchema[]; additionalItems?: PlainSchema };
    if (items === undefined || facts.items !== undefined || facts.tuple) return;
    if (Array.isArray(items)) {
      facts.tuple = items;
      facts.items = additionalItems;
    } else {
      facts.items = items;
    }
  }
}

function valuesOf(part: PlainObject): string[] | undefined {
  if (typeof part.exactConst === "string") return [part.exactConst];
  return part.exactEnum as string[] | undefined;
}

/** The values of a branch that says nothing but which values it takes. */
function constantsOf(branch: PlainSchema): string[] | undefined {
  if (typeof branch === "boolean") return undefined;
  const silent = ["title", "description", "exactConst", "exactEnum", "type"];
  return Object.keys(branch).every((keyword) => silent.includes(keyword)) ? valuesOf(branch) : undefined;
}

function intersect(a: string[], b: string[]): string[] {
  const both = a.filter((type) => b.includes(type) || (type === "integer" && b.includes("number")));
  const integer = a.includes("number") && b.includes("integer") && !both.includes("integer");
  return integer ? [...both, "integer"] : both;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
