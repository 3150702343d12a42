import { shorten, wellFormed } from "../json/texts.ts";
import type { LinkedSchema, PlainObject, PlainSchema } from "../json-schema/plain-schema.ts";
import { inSentences } from "../sketch/describe-place.ts";
import { type Facts, gatherFacts } from "./facts.ts";
import { describeValues, leanValues } from "./lean-values.ts";
import type { LeanKeyword, SchemaDialect } from "./schema-dialect.ts";

type Lean = Record<string, unknown>;

/** The position of the subschema that is being written. */
type Place = {
  /** The name of the definition that is being written. */
  definition: string;
  /** The definitions whose content was merged into this place, so that none is merged into itself. */
  merged: readonly string[];
  underProperty: boolean;
  /** Whether the subschema describes the whole answer: the root, and each branch of the root. */
  isWhole: boolean;
  /** The types that the parent allows for the same value. */
  types?: string[];
};

/**
 * Returns the lean schema of a JSON Schema: with the keywords of the dialect. The other constraints become sentences in
 * descriptions or are left out. It is looser than the schema, with one exception: a root with `properties` or `items`
 * and no `type` is read as an object or an array. Returns null when the root allows every type, or when the schema has
 * too many subschemas.
 */
export function jsonSchemaToLean(linked: LinkedSchema, dialect: SchemaDialect): Lean | null {
  const { maxSubschemas, maxBranches } = dialect;
  const takes = (keyword: LeanKeyword) => dialect.keywords.includes(keyword);
  const reaches = createReachability(linked);
  const $defs: Record<string, Lean> = {};
  const wanted: string[] = [];
  let subschemas = 0;

  const first = definitionName(linked.$ref);
  const root = write(
    linked.$defs[first] ?? true,
    { definition: first, merged: [first], underProperty: false, isWhole: true },
    true,
  ).lean;
  for (let name = wanted.pop(); name !== undefined && subschemas <= maxSubschemas; name = wanted.pop()) {
    $defs[name] = write(linked.$defs[name] ?? true, {
      definition: name,
      merged: [name],
      underProperty: false,
      isWhole: false,
    }).lean;
  }
  const expressible = root.type !== undefined || root.anyOf !== undefined;
  if (subschemas > maxSubschemas || !expressible) return null;
  return Object.keys($defs).length > 0 ? { ...root, $defs } : root;

  /** `isCyclic` means that it refers back to the definition that is being written. */
  function write(schema: PlainSchema, place: Place, isRoot = false): { lean: Lean; isCyclic: boolean } {
    if (++subschemas > maxSubschemas) return { lean: {}, isCyclic: false };
    const alone = isRoot || !takes("$ref") ? undefined : loneReference(schema);
    if (alone !== undefined) return reference(definitionName(alone), place);
    const merged = [...place.merged];
    const facts = gatherFacts(schema, (target) => {
      const name = definitionName(target);
      if (merged.includes(name)) return undefined;
      merged.push(name);
      return linked.$defs[name];
    });
    return facts ? writeFacts(facts, { ...place, merged }) : { lean: {}, isCyclic: false };
  }

  function reference(name: string, place: Place): { lean: Lean; isCyclic: boolean } {
    const isCyclic = name === place.definition || reaches(name, place.definition);
    // Without an optional key on its way, a cycle would demand an endless answer.
    if (isCyclic && !place.underProperty) return { lean: {}, isCyclic: false };
    if (!Object.hasOwn($defs, name)) {
      $defs[name] = {};
      wanted.push(name);
    }
    return { lean: { $ref: `#/$defs/${name}` }, isCyclic };
  }

  function writeFacts(facts: Facts, place: Place): { lean: Lean; isCyclic: boolean } {
    const implied = impliedType(facts);
    const types = facts.types ?? (place.isWhole && implied ? [implied] : place.types);
    const values = facts.values && leanValues(facts.values, types, dialect);
    if (values) return { lean: { ...values, ...annotations(facts) }, isCyclic: false };
    // Without a type, the schema allows values of all other types too, so its lean copy must as well.
    const usual = types === undefined && implied ? [`Usually an ${implied}`] : [];
    const sentences = [...usual, ...describeValues(facts.values ?? []), ...facts.sentences];
    const words = annotations({ ...facts, sentences });
    const branches = takes("anyOf") && facts.alternatives.length === 1 ? writeBranches(facts, types, place) : undefined;
    if (branches) return { lean: { ...words, anyOf: branches.leans }, isCyclic: branches.isCyclic };
    const object = types?.includes("object") ? writeObject(facts, place) : undefined;
    const array = types?.includes("array") ? writeArray(facts, place) : undefined;
    return {
      lean: { ...(types && { type: types.length === 1 ? types[0] : types }), ...object, ...array?.lean, ...words },
      isCyclic: array?.isCyclic === true,
    };
  }

  function writeBranches(facts: Facts, types: string[] | undefined, place: Place) {
    const [branches = []] = facts.alternatives;
    const possible = branches.filter((branch) => branch !== false);
    if (possible.length > maxBranches || possible.includes(true) || possible.length === 0) return undefined;
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
    for (const [name, schemas] of [...facts.properties, ...namesWithoutProperty(facts)]) {
      if (schemas.includes(false)) continue;
      const schema = schemas.length === 1 && schemas[0] !== undefined ? schemas[0] : { allOf: schemas };
      const { lean, isCyclic } = write(schema, {
        definition: place.definition,
        merged: place.merged,
        underProperty: true,
        isWhole: false,
      });
      if (isCyclic) required.delete(name);
      entries.push([name, lean]);
    }
    const names = entries.map(([name]) => name);
    const kept = names.filter((name) => required.has(name));
    return {
      ...(names.length > 0 && { properties: Object.fromEntries(entries) }),
      ...(kept.length > 0 && { required: kept }),
      ...(facts.additional === false && takes("additionalProperties") && { additionalProperties: false }),
      ...(isMap(facts) &&
        takes("additionalProperties") && {
          additionalProperties: write(facts.additional as PlainObject, {
            ...place,
            underProperty: false,
            isWhole: false,
          }).lean,
        }),
      ...(names.length > 1 && takes("propertyOrdering") && { propertyOrdering: names }),
    };
  }

  function annotations({ title, description, sentences }: Facts): Lean {
    const text = (words: string) => wellFormed(shorten(words, dialect.maxDescriptionLength));
    const words = inSentences([description, ...[...new Set(sentences)].map((sentence) => `${sentence}.`)]);
    return {
      ...(title !== undefined && takes("title") && { title: text(title) }),
      ...(words !== undefined && takes("description") && { description: text(words) }),
    };
  }

  function writeArray(facts: Facts, place: Place): { lean: Lean; isCyclic: boolean } {
    // Without the tuple, `items` would also apply to the items of the tuple.
    if (facts.tuple && !takes("prefixItems")) return { lean: {}, isCyclic: false };
    const { definition, merged, underProperty } = place;
    const inside = { definition, merged, underProperty, isWhole: false };
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

/** Returns the reference when the subschema has no other constraint. */
function loneReference(schema: PlainSchema): string | undefined {
  if (typeof schema === "boolean") return undefined;
  const keywords = Object.keys(schema).filter((keyword) => keyword !== "title" && keyword !== "description");
  if (keywords.length !== 1) return undefined;
  if (typeof schema.$ref === "string") return schema.$ref;
  const all = (schema.allOf ?? []) as PlainSchema[];
  return all.length === 1 && all[0] !== undefined ? loneReference(all[0]) : undefined;
}

function impliedType(facts: Facts): "object" | "array" | undefined {
  const isObject = facts.properties.size > 0;
  const isArray = facts.tuple !== undefined || facts.items !== undefined;
  if (isObject === isArray) return undefined;
  return isObject ? "object" : "array";
}

/** Returns the constraints beside the branches, which each branch repeats; undefined if they are a type at most. */
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

/** The keys that `required` or `propertyNames` alone names, with what the schema says about additional keys. */
function namesWithoutProperty({ properties, required, names, additional }: Facts): [string, PlainSchema[]][] {
  const others = [...new Set([...required, ...names])].filter((name) => !properties.has(name));
  return others.map((name) => [name, [additional ?? true]]);
}

function isMap({ additional }: Facts): boolean {
  return typeof additional === "object" && Object.keys(additional).length > 0;
}

/** Returns the name of the definition that a reference points to. */
function definitionName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

/** Returns a test whether one definition of a linked schema refers to another, directly or through others. */
function createReachability({ $defs }: LinkedSchema): (from: string, to: string) => boolean {
  const next = new Map(Object.entries($defs).map(([name, schema]) => [name, referencesIn(schema)]));
  const reached = new Map<string, Set<string>>();

  return (from, to) => {
    const known = reached.get(from);
    if (known) return known.has(to);
    const all = new Set(next.get(from));
    for (const name of all) for (const further of next.get(name) ?? []) all.add(further);
    reached.set(from, all);
    return all.has(to);
  };
}

function referencesIn(value: unknown): Set<string> {
  const found = new Set<string>();
  visit(value);
  return found;

  function visit(part: unknown): void {
    if (typeof part !== "object" || part === null) return;
    if ("$ref" in part && typeof part.$ref === "string") found.add(definitionName(part.$ref));
    for (const inner of Object.values(part)) visit(inner);
  }
}
