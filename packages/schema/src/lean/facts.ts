import { alternativesOf, type PlainObject, type PlainSchema } from "../json-schema/plain-schema.ts";

const sentences: Record<string, (operand: unknown) => string> = {
  pattern: (pattern) => `Must match the pattern ${pattern}`,
  format: (format) => `Format: ${format}`,
  minLength: (length) => `At least ${length} characters`,
  maxLength: (length) => `At most ${length} characters`,
  minItems: (length) => `At least ${length} items`,
  maxItems: (length) => `At most ${length} items`,
  minProperties: (length) => `At least ${length} keys`,
  maxProperties: (length) => `At most ${length} keys`,
  exactMinimum: (bound) => `${bound} or more`,
  exactMaximum: (bound) => `${bound} or less`,
  exactExclusiveMinimum: (bound) => `More than ${bound}`,
  exactExclusiveMaximum: (bound) => `Less than ${bound}`,
  exactMultipleOf: (step) => `A multiple of ${step}`,
  exactUniqueItems: () => "No item twice",
};

const maxSentenceLength = 200;

/** Returns a sentence, without its full stop, for each constraint that a lean schema leaves out. */
function describeBounds(part: PlainObject): string[] {
  return Object.entries(sentences).flatMap(([keyword, sentence]) => {
    const text = part[keyword] === undefined ? "" : sentence(part[keyword]);
    return text === "" || text.length > maxSentenceLength ? [] : [text];
  });
}

/** All the requirements of a subschema, and of the subschemas that it includes, on one value. */
export type Facts = {
  title: string | undefined;
  description: string | undefined;
  /** The allowed types; undefined means any. */
  types: string[] | undefined;
  /** The allowed values, as JSON texts; undefined means any. */
  values: string[] | undefined;
  properties: Map<string, PlainSchema[]>;
  required: Set<string>;
  /** The names that `propertyNames` lists. */
  names: string[];
  /** The schema of `additionalProperties`, if no other part can add keys. */
  additional: PlainSchema | undefined;
  tuple: PlainSchema[] | undefined;
  items: PlainSchema | undefined;
  /** The branches of each `anyOf` and `oneOf`, except those that only list values. */
  alternatives: PlainSchema[][];
  /** Constraints that the lean schema cannot enforce, as sentences for its description. */
  sentences: string[];
};

/**
 * Merges a subschema with all that it includes by `allOf` and references. Keywords that cannot be merged are left
 * out, so the result is never stricter than the schema.
 *
 * @param followReference returns the schema behind a reference, or undefined to leave it out.
 * @returns undefined when no value conforms.
 */
export function gatherFacts(
  schema: PlainSchema,
  followReference: (reference: string) => PlainSchema | undefined,
): Facts | undefined {
  const facts: Facts = {
    title: undefined,
    description: undefined,
    types: undefined,
    values: undefined,
    properties: new Map(),
    required: new Set(),
    names: [],
    additional: undefined,
    tuple: undefined,
    items: undefined,
    alternatives: [],
    sentences: [],
  };
  let sources = 0;
  let closed: PlainSchema | undefined;
  const followed = new Set<string>();
  if (!gather(schema)) return undefined;
  // One part may require a key that another part forbids, so only a single part can forbid additional keys.
  if (sources === 1) facts.additional = closed;
  return facts;

  function gather(part: PlainSchema): boolean {
    if (typeof part === "boolean") return part;
    if (typeof part.$ref === "string" && !followed.has(part.$ref)) {
      followed.add(part.$ref);
      const target = followReference(part.$ref);
      if (target !== undefined && !gather(target)) return false;
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
    facts.sentences.push(...describeBounds(part));
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
    const names = typeof part.propertyNames === "object" ? valuesOf(part.propertyNames as PlainObject) : undefined;
    facts.names.push(...(names ?? []).map((json) => JSON.parse(json)).filter((name) => typeof name === "string"));
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

/** Returns the values of a branch that only lists values. */
function constantsOf(branch: PlainSchema): string[] | undefined {
  if (typeof branch === "boolean") return undefined;
  const neutral = ["title", "description", "exactConst", "exactEnum", "exactInteger", "type"];
  return Object.keys(branch).every((keyword) => neutral.includes(keyword)) ? valuesOf(branch) : undefined;
}

function intersect(a: string[], b: string[]): string[] {
  const both = a.filter((type) => b.includes(type) || (type === "integer" && b.includes("number")));
  const integer = a.includes("number") && b.includes("integer") && !both.includes("integer");
  return integer ? [...both, "integer"] : both;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
