import { type Answer, toAnswer } from "./answer.ts";
import { chooseEvents } from "./choose-events.ts";
import { chooseOption, optionForUnknown } from "./choose-option.ts";
import { eventsOf, kindIn, type Subject } from "./event.ts";
import { fillBoolean } from "./fill-boolean.ts";
import { fillNumber } from "./fill-number.ts";
import { fillString } from "./fill-string.ts";
import { inventNumber, inventString } from "./invent.ts";
import { kindOf, type Place, placeOf, subjectOf } from "./place.ts";
import { asSchema, bound, resolveSchema, type Schema, typesOf } from "./schema.ts";
import { asksForTime } from "./timestamp.ts";

/** A value for a schema node. `known` means that the evidence determines it; otherwise it only has the right form. */
type Filled = { value: Answer; known: boolean };

const maxDepth = 24;
const maxNodes = 20_000;
/** Beyond this number of nodes even required members are not filled: no model writes such an answer. */
const maxRequiredNodes = 3 * maxNodes;

/**
 * Creates a function that fills a schema from the evidence. An unknown value is omitted where it is optional; elsewhere
 * it has the right form.
 */
export function createFill(root: Schema): (place: Place) => Answer {
  let nodes = 0;

  function fill(node: unknown, place: Place, depth: number): Filled {
    nodes += 1;
    if (depth > 2 * maxDepth || nodes > maxRequiredNodes) return unknown("unknown");
    const schema = resolveSchema(node, root);
    if (schema.const !== undefined) return { value: toAnswer(schema.const), known: true };
    if (Array.isArray(schema.enum) && schema.enum.length > 0) return fillEnum(schema, schema.enum, place);
    const branches = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(branches) && branches.length > 0) return fillBranches(schema, branches, place, depth);
    const types = typesOf(schema);
    const [type = "string"] = types.filter((name) => name !== "null");
    const filled = types[0] === "null" && types.length === 1 ? unknown(null) : fillType(type, schema, place, depth);
    return !filled.known && types.includes("null") ? unknown(null) : filled;
  }

  function fillBranches(schema: Schema, branches: unknown[], place: Place, depth: number): Filled {
    const { anyOf, oneOf, ...own } = schema;
    const tried = depth > maxDepth || nodes > maxNodes ? branches.slice(0, 1) : branches;
    const filled = tried.map((branch) => {
      const inside = resolveSchema(branch, root);
      const required = [...new Set([...(own.required ?? []), ...(inside.required ?? [])])];
      const properties = { ...own.properties, ...inside.properties };
      const merged = own.properties ? { ...own, ...inside, properties, required } : { ...own, ...inside };
      return { ...fill(merged, place, depth + 1), isNull: inside.type === "null" };
    });
    const [first] = filled;
    return (
      filled.find(({ known, isNull }) => known && !isNull) ??
      filled.find(({ isNull }) => isNull) ??
      first ??
      unknown(null)
    );
  }

  function fillType(type: string, schema: Schema, place: Place, depth: number): Filled {
    switch (type) {
      case "object":
        return fillObject(schema, place, depth);
      case "array":
        return fillArray(schema, place, depth);
      case "boolean":
        return orElse(fillBoolean(place, schema), false);
      case "integer":
      case "number":
        return orElse(fillNumber(place, schema, type === "integer"), inventNumber(schema, type === "integer"));
      default:
        return orElse(fillString(place, schema), inventString(schema, asksForTime(place.name, schema)));
    }
  }

  function fillObject(schema: Schema, place: Place, depth: number): Filled {
    const object = new Map<string, Answer>();
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const about = subjectOfObject(place, schema);
    const inside: Place = about ? { ...place, subject: about } : place;
    let known = false;
    for (const name of keysOf(schema)) {
      const node = Object.hasOwn(schema.properties ?? {}, name)
        ? schema.properties?.[name]
        : schema.additionalProperties;
      if (!required.has(name) && (depth > maxDepth || nodes > maxNodes || about === null)) continue;
      const filled = fill(node, placeOf(inside, name), depth + 1);
      if (!filled.known && !required.has(name)) continue;
      object.set(name, filled.value);
      known ||= filled.known && about !== null;
    }
    return { value: object, known };
  }

  function fillArray(schema: Schema, place: Place, depth: number): Filled {
    if (Array.isArray(schema.prefixItems) && schema.prefixItems.length > 0) {
      const filled = schema.prefixItems.map((node) => fill(node, { ...place, name: [] }, depth + 1));
      return { value: filled.map(({ value }) => value), known: filled.some(({ known }) => known) };
    }
    const item = resolveSchema(schema.items, root);
    const max = bound(schema, "maxItems") ?? maxListItems;
    const min = Math.min(bound(schema, "minItems") ?? 0, maxListItems);
    const events = depth > maxDepth || nodes > maxNodes ? undefined : chooseEvents(place, schema, item, root);
    const parentName = place.name.length > 0 ? place.name : place.parentName;
    const values = (events ?? []).slice(0, max).flatMap((subject: Subject, index) => {
      const filled = fill(schema.items, { ...place, subject, index, name: [], parentName }, depth + 1);
      return filled.known ? [filled.value] : [];
    });
    const list = schema.uniqueItems === true || !isTimed(item) ? distinct(values) : values;
    while (list.length < min) list.push(fill(schema.items, { ...place, name: [], parentName }, depth + 1).value);
    return { value: list, known: events !== undefined };
  }

  return (place) => fill(root, place, 0).value;
}

const maxListItems = 500;

function unknown(value: Answer): Filled {
  return { value, known: false };
}

function orElse(value: Answer | undefined, otherwise: Answer): Filled {
  return value === undefined ? unknown(otherwise) : { value, known: true };
}

function fillEnum(schema: Schema, options: unknown[], place: Place): Filled {
  const texts = options.filter((option) => typeof option === "string");
  const chosen = chooseOption(place, schema, texts);
  if (chosen !== undefined) return { value: chosen, known: true };
  const numbers = options.filter((option) => typeof option === "number");
  const number = numbers.length > 0 ? fillNumber(place, schema, false) : undefined;
  if (number !== undefined) {
    const [nearest = 0] = [...numbers].sort((a, b) => Math.abs(a - number) - Math.abs(b - number));
    return { value: nearest, known: true };
  }
  return unknown(options.includes(null) ? null : toAnswer(optionForUnknown(options)));
}

/** Returns the keys in the order of the answer: `propertyOrdering`, then `properties`, then `required`. */
function keysOf(schema: Schema): string[] {
  const written = Object.keys(schema.properties ?? {});
  const ordered = (schema.propertyOrdering ?? []).filter((name) => written.includes(name));
  return [...new Set([...ordered, ...written, ...(Array.isArray(schema.required) ? schema.required : [])])];
}

/**
 * Returns the event that an object is about if its name says so, as in `first_cut` or `title_card`. Undefined if the
 * object is about the same subject as its parent; null if the event does not happen.
 */
function subjectOfObject(place: Place, schema: Schema): Subject | undefined | null {
  if (place.subject.kind !== "video" || kindIn(place.name) === undefined) return undefined;
  const kind = kindOf(place, schema);
  const isPlural = /[^s]s$/.test(place.name.at(-1) ?? "");
  if (kind === undefined || isPlural) return undefined;
  if (eventsOf(place.evidence, kind).length === 0 && kind !== "black") return null;
  return subjectOf(place, asSchema({})) ?? null;
}

/** Returns whether equal items are different events because they have times. */
function isTimed(item: Schema): boolean {
  return typesOf(item)[0] !== "string" || asksForTime([], item);
}

function distinct(values: readonly Answer[]): Answer[] {
  const seen = new Map(values.map((value) => [typeof value === "object" ? value : JSON.stringify(value), value]));
  return [...seen.values()];
}
