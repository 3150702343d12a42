import type { Evidence, Mark } from "../evidence/look.ts";
import { colorNames } from "../evidence/tracks.ts";
import { type Answer, asksForTime, endWords, hasAny, toAnswer, wordsOf, writeTime } from "./answer.ts";
import { fitNumber, inventString, optionForUnknown } from "./invent.ts";
import { attributeNamed, marksInside, marksNamed, nthMark, videoLabel } from "./marks.ts";
import { asSchema, bound, resolveSchema, type Schema, typesOf } from "./schema.ts";

/** A value for a schema node. `known` means that the evidence determines it. */
type Filled = { value: Answer; known: boolean };

/** The mark that the current object is about, if any, and the words of the property's name. */
type Position = { subject: Mark | undefined; name: readonly string[] };

const maxDepth = 24;
/** No model writes a larger answer. */
const maxNodes = 20_000;
const maxItems = 500;

/** Omits what is unknown and optional. An event without a mark never happens; other required values have the form. */
export function fill(root: Schema, evidence: Evidence): Answer {
  const facts = evidence.marks.filter(({ label }) => label === videoLabel);
  let nodes = 0;

  function fillNode(node: unknown, at: Position, depth: number): Filled {
    nodes += 1;
    if (nodes > maxNodes || depth > 2 * maxDepth) return unknown("unknown");
    const schema = resolveSchema(node, root);
    if (schema.const !== undefined) return known(toAnswer(schema.const));
    const branches = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(branches) && branches.length > 0) {
      const { anyOf, oneOf, ...own } = schema;
      const filled = branches.slice(0, depth > maxDepth ? 1 : branches.length).map((branch) => {
        const inside = resolveSchema(branch, root);
        const properties = { ...own.properties, ...inside.properties };
        const required = [...(own.required ?? []), ...(inside.required ?? [])];
        return fillNode({ ...own, ...inside, ...(own.properties ? { properties, required } : {}) }, at, depth + 1);
      });
      const isNull = ({ value }: Filled) => value === null;
      return filled.find((each) => each.known && !isNull(each)) ?? filled.find(isNull) ?? filled[0] ?? unknown(null);
    }
    const types = typesOf(schema);
    if (types.length === 1 && types[0] === "null") return unknown(null);
    const filled = fillType(types.find((type) => type !== "null") ?? "string", schema, at, depth);
    return !filled.known && types.includes("null") ? unknown(null) : filled;
  }

  function fillType(type: string, schema: Schema, at: Position, depth: number): Filled {
    if (Array.isArray(schema.enum) && schema.enum.length > 0) return fillEnum(schema.enum, at);
    if (type === "object") return fillObject(schema, at, depth);
    if (type === "array") return fillList(schema, at, depth);
    if (type === "boolean") return fillBoolean(at);
    const text = attributeOf(at);
    const isTime = asksForTime(at.name, schema);
    const ms = text === undefined && isTime ? timeOf(at) : undefined;
    if (type === "string") {
      if (ms !== undefined) return known(writeTime(ms, schema));
      const isFree = schema.pattern === undefined && schema.format === undefined;
      if (text === undefined || !(isFree || evidence.isMarked)) return unknown(inventString(schema, isTime));
      return known(text.slice(0, bound(schema, "maxLength") ?? text.length));
    }
    const number = ms === undefined ? numberOf(at, text) : ms / 1000;
    if (number === undefined) return unknown(fitNumber(0, schema, type === "integer"));
    return known(fitNumber(type === "integer" ? Math.floor(number) : number, schema, type === "integer"));
  }

  function fillEnum(options: readonly unknown[], at: Position): Filled {
    const text = attributeOf(at);
    const option = options.find((each) => String(each) === text);
    if (option !== undefined) return known(toAnswer(option));
    // Options that are colours ask for the colour, whatever the name of the field says.
    const ofColor = options.filter((each) => colorNames.includes(String(each))).length > 1;
    const colors = ofColor ? (at.subject ?? facts[0])?.attributes.color?.split(",") : [];
    const shown = colors?.find((color) => options.includes(color));
    return shown === undefined ? unknown(toAnswer(optionForUnknown(options))) : known(shown);
  }

  function fillObject(schema: Schema, at: Position, depth: number): Filled {
    const object = new Map<string, Answer>();
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const about = at.subject ?? nthMark(marksNamed(evidence, at.name) ?? [], at.name);
    let isKnown = false;
    for (const name of keysOf(schema)) {
      if (!required.has(name) && (depth > maxDepth || nodes > maxNodes / 2)) continue;
      const node = Object.hasOwn(schema.properties ?? {}, name)
        ? schema.properties?.[name]
        : schema.additionalProperties;
      const filled = fillNode(node, { subject: about, name: wordsOf(name) }, depth + 1);
      if (!filled.known && !required.has(name) && !endsCycle(node, filled)) continue;
      object.set(name, filled.value);
      isKnown ||= filled.known;
    }
    return { value: object, known: isKnown };
  }

  function fillList(schema: Schema, at: Position, depth: number): Filled {
    if (Array.isArray(schema.prefixItems) && schema.prefixItems.length > 0)
      return unknown(schema.prefixItems.map((node) => fillNode(node, { ...at, name: [] }, depth + 1).value));
    const isTooDeep = depth > maxDepth || nodes > maxNodes / 2;
    const inside = { ...evidence, marks: marksInside(evidence, at.subject) };
    const found = isTooDeep ? [] : (marksNamed(inside, at.name) ?? []);
    const name = at.name.map((word) => word.replace(/ies$/, "y").replace(/s$/, ""));
    const items = found
      .slice(0, bound(schema, "maxItems") ?? maxItems)
      .map((subject) => fillNode(schema.items, { subject, name }, depth + 1).value);
    const list = schema.uniqueItems === true ? distinct(items) : items;
    const minItems = Math.min(bound(schema, "minItems") ?? 0, maxItems);
    while (list.length < minItems) list.push(fillNode(schema.items, { ...at, name: [] }, depth + 1).value);
    return known(list);
  }

  function fillBoolean(at: Position): Filled {
    const text = attributeOf(at);
    if (text !== undefined) return known(text === "true" || text === "yes");
    const happens = marksNamed(evidence, at.name);
    if (evidence.isMarked) return known(at.subject === undefined && happens !== undefined);
    return happens && evidence.durationMs > 0 ? known(happens.length > 0) : unknown(false);
  }

  function attributeOf({ subject, name }: Position): string | undefined {
    if (subject) return attributeNamed(subject, name, evidence);
    const text = facts.map((fact) => attributeNamed(fact, name, evidence)).find((found) => found !== undefined);
    return evidence.isMarked || !hasAny(name, "color", "colour") ? text : text?.split(",")[0];
  }

  function timeOf({ subject, name }: Position): number | undefined {
    const about = subject ?? nthMark(marksNamed(evidence, name) ?? [], name);
    return hasAny(name, ...endWords) ? about?.endMs : about?.startMs;
  }

  function numberOf({ subject, name }: Position, text: string | undefined): number | undefined {
    if (text !== undefined) return Number.isFinite(Number(text)) ? Number(text) : undefined;
    if (subject && hasAny(name, "seconds", "duration", "lasts")) return (subject.endMs - subject.startMs) / 1000;
    const named = marksNamed(evidence, name)?.length;
    if (hasAny(name, "count", "number", "many")) return named ?? (evidence.isMarked ? 0 : undefined);
    return evidence.isMarked || subject ? undefined : named;
  }

  return fillNode(root, { subject: undefined, name: [] }, 0).value;
}

/** A recursive key is optional in the response schema even where the caller requires it. A model ends it with null. */
function endsCycle(node: unknown, { value }: Filled): boolean {
  return value === null && (asSchema(node).anyOf ?? []).some((branch) => asSchema(branch).$ref !== undefined);
}

function known(value: Answer): Filled {
  return { value, known: true };
}

function unknown(value: Answer): Filled {
  return { value, known: false };
}

/** Returns the keys in the order of the answer: `propertyOrdering`, then `properties`, then `required`. */
function keysOf(schema: Schema): string[] {
  const written = Object.keys(schema.properties ?? {});
  const ordered = (schema.propertyOrdering ?? []).filter((name) => written.includes(name));
  return [...new Set([...ordered, ...written, ...(Array.isArray(schema.required) ? schema.required : [])])];
}

function distinct(values: readonly Answer[]): Answer[] {
  return [
    ...new Map(values.map((value) => [typeof value === "object" ? value : JSON.stringify(value), value])).values(),
  ];
}
