import { compareDecimals, type Decimal, readDecimal } from "../json/decimal.ts";
import { childPointer } from "../json/texts.ts";
import {
  alternativesOf,
  type LinkedSchema,
  linkedAddress,
  type PlainObject,
  type PlainSchema,
} from "./plain-schema.ts";

/** The place in an answer where no value conforms, and why. */
type Impossible = { pointer: string; reason: string };

/** Limits the work on a hostile schema. After so many visits, the schema counts as possible. */
const maxVisits = 20_000;
const allTypes = ["null", "boolean", "object", "array", "number", "string"];

/**
 * Returns why no answer can conform to a schema, as `<JSON pointer>: <reason>`; null if one may. It finds what is certain
 * from `false`, types, enums, bounds and required keys, with `allOf`, `anyOf`, `oneOf` and references. It never names a
 * schema that some answer conforms to.
 */
export function findImpossible({ $ref, $defs }: LinkedSchema): string | null {
  const numbers = new Map<object, number>();
  const open = new Set<string>();
  let visits = 0;
  const found = visit([{ $ref }], "");
  return found && visits < maxVisits ? `${found.pointer}: ${found.reason}` : null;

  /** Returns why no value conforms to all of some schemas. */
  function visit(schemas: readonly PlainSchema[], pointer: string): Impossible | undefined {
    const parts = partsOf(schemas);
    if (parts === undefined) return { pointer, reason: "no value is allowed here, because the schema is `false`" };
    // A value that must contain itself has no end.
    const key = [...parts].map(numberOf).sort().join(" ");
    if (open.has(key)) return { pointer, reason: "the schema requires itself here without end" };
    if (++visits >= maxVisits) return undefined;
    open.add(key);
    const faults = typesOf(parts).map((type) => faultOf(type, parts, pointer));
    const alternative = alternativeFault(parts, pointer);
    open.delete(key);
    if (alternative) return alternative;
    const [first] = faults;
    if (faults.length === 0) return { pointer, reason: "the types exclude each other" };
    return first && faults.every((fault) => fault !== undefined) ? first : valuesFault(parts, pointer);
  }

  /** Returns all schemas that apply to one value; undefined if one of them is `false`. */
  function partsOf(schemas: readonly PlainSchema[]): Set<PlainObject> | undefined {
    const parts = new Set<PlainObject>();
    const rest = [...schemas];
    // This loop adds entries to the list and reads those entries too.
    for (const schema of rest) {
      if (schema === false || (typeof schema === "object" && isAnything(schema.not))) return undefined;
      if (schema === true || parts.has(schema) || ++visits >= maxVisits) continue;
      parts.add(schema);
      if (typeof schema.$ref === "string")
        rest.push($defs[schema.$ref.slice(linkedAddress.length + "#/$defs/".length)] ?? true);
      for (const part of (schema.allOf ?? []) as PlainSchema[]) rest.push(part);
    }
    return parts;
  }

  function alternativeFault(parts: ReadonlySet<PlainObject>, pointer: string): Impossible | undefined {
    for (const branches of [...parts].flatMap(alternativesOf)) {
      const faults = branches.map((branch) => visit([branch], pointer));
      if (faults.every((fault) => fault !== undefined)) return faults[0];
    }
    return undefined;
  }

  function faultOf(type: string, parts: ReadonlySet<PlainObject>, pointer: string): Impossible | undefined {
    const of = (keyword: string) => [...parts].flatMap((part) => (part[keyword] === undefined ? [] : [part[keyword]]));
    const crossed = (low: string, high: string) => {
      const [least, most] = [Math.max(...(of(low) as number[])), Math.min(...(of(high) as number[]))];
      return least > most ? { pointer, reason: `${low} ${least} is above ${high} ${most}` } : undefined;
    };
    if (type === "number") return numberFault(of, pointer);
    if (type === "string") return crossed("minLength", "maxLength");
    if (type === "array")
      return (
        crossed("minItems", "maxItems") ?? arrayFault(parts, Math.max(0, ...(of("minItems") as number[])), pointer)
      );
    if (type === "object") return crossed("minProperties", "maxProperties") ?? objectFault(parts, of, pointer);
    return undefined;
  }

  function arrayFault(parts: ReadonlySet<PlainObject>, length: number, pointer: string): Impossible | undefined {
    const wanted = [...parts].find(({ contains, minContains }) => contains === false && minContains !== 0);
    if (wanted) return { pointer, reason: "the list must contain an item that the schema `false` allows" };
    const tuple = Math.max(0, ...[...parts].map(({ items }) => (Array.isArray(items) ? items.length : 0)));
    for (let index = 0; index < Math.min(length, tuple + 1); index++) {
      const schemas = [...parts].flatMap(({ items, additionalItems }) => {
        const own = Array.isArray(items) ? (items[index] ?? additionalItems) : items;
        return own === undefined ? [] : [own as PlainSchema];
      });
      const fault = visit(schemas, childPointer(pointer, index));
      if (fault) return fault;
    }
    return undefined;
  }

  function objectFault(
    parts: ReadonlySet<PlainObject>,
    of: (keyword: string) => unknown[],
    pointer: string,
  ): Impossible | undefined {
    const required = new Set((of("required") as string[][]).flat());
    const most = Math.min(...(of("maxProperties") as number[]));
    if (required.size > most)
      return { pointer, reason: `${required.size} keys are required, and maxProperties is ${most}` };
    for (const key of required) {
      const schemas = [...parts].flatMap((part): PlainSchema[] => {
        const { patternProperties, additionalProperties, propertyNames } = part;
        const named = (part.manyProperties ?? part.properties ?? {}) as Record<string, PlainSchema>;
        const own = Object.hasOwn(named, key) ? named[key] : undefined;
        // A pattern may match the key, so the schema of the other keys may not apply.
        const other = own === undefined && patternProperties === undefined ? additionalProperties : undefined;
        const name = propertyNames === false ? false : undefined;
        return [own, other as PlainSchema | undefined, name].filter((schema) => schema !== undefined);
      });
      const fault = visit(schemas, childPointer(pointer, key));
      if (fault) return fault;
    }
    return undefined;
  }

  function numberOf(part: PlainObject): number {
    const number = numbers.get(part) ?? numbers.size;
    numbers.set(part, number);
    return number;
  }
}

function isAnything(schema: unknown): boolean {
  return schema === true || (typeof schema === "object" && schema !== null && Object.keys(schema).length === 0);
}

/** Returns the types that all parts allow. An integer is a number. */
function typesOf(parts: ReadonlySet<PlainObject>): string[] {
  const named = [...parts].flatMap(({ type }) => (type === undefined ? [] : [[type].flat() as string[]]));
  return allTypes.filter((type) =>
    named.every((names) => names.includes(type) || (type === "number" && names.includes("integer"))),
  );
}

/** Returns a fault if the enums and constants of the parts have no value in common that is of an allowed type. */
function valuesFault(parts: ReadonlySet<PlainObject>, pointer: string): Impossible | undefined {
  const lists = [...parts].flatMap(({ exactEnum, exactConst }) => [
    ...(exactEnum === undefined ? [] : [exactEnum as string[]]),
    ...(exactConst === undefined ? [] : [[exactConst as string]]),
  ]);
  const [first, ...others] = lists;
  if (!first) return undefined;
  const types = typesOf(parts);
  const common = first.filter(
    (text) =>
      types.includes(typeOfText(text)) && others.every((list) => list.includes(text)) && isInBounds(text, parts),
  );
  return common.length > 0 ? undefined : { pointer, reason: "no value of the list is allowed" };
}

/** Returns whether a number or a text, as canonical JSON, is within the bounds of all parts. */
function isInBounds(text: string, parts: ReadonlySet<PlainObject>): boolean {
  const type = typeOfText(text);
  if (type === "string") {
    const length = [...(JSON.parse(text) as string)].length;
    return [...parts].every(
      ({ minLength = 0, maxLength = length }) => length >= Number(minLength) && length <= Number(maxLength),
    );
  }
  if (type !== "number") return true;
  const [digits = "0", exponent = "0"] = text.split("e");
  const value = { digits: BigInt(digits), exponent: Number(exponent) };
  return [...parts].every((part) =>
    orders.every(
      ([keyword, holds]) =>
        part[keyword] === undefined || holds(compareDecimals(value, readDecimal(part[keyword] as string))),
    ),
  );
}

const orders: readonly (readonly [keyword: string, holds: (order: number) => boolean])[] = [
  ["exactMinimum", (order) => order >= 0],
  ["exactExclusiveMinimum", (order) => order > 0],
  ["exactMaximum", (order) => order <= 0],
  ["exactExclusiveMaximum", (order) => order < 0],
];

/** Returns the type of a canonical JSON text. */
function typeOfText(text: string): string {
  if (text.startsWith("{")) return "object";
  if (text.startsWith("[")) return "array";
  if (text.startsWith('"')) return "string";
  return text === "null" ? "null" : text === "true" || text === "false" ? "boolean" : "number";
}

function numberFault(of: (keyword: string) => unknown[], pointer: string): Impossible | undefined {
  const bounds = (keyword: string, isOpen: boolean) =>
    (of(keyword) as string[]).map((literal) => ({ literal, isOpen, value: readDecimal(literal) }));
  const low = extreme([...bounds("exactMinimum", false), ...bounds("exactExclusiveMinimum", true)], 1);
  const high = extreme([...bounds("exactMaximum", false), ...bounds("exactExclusiveMaximum", true)], -1);
  if (!low || !high) return undefined;
  const order = compareDecimals(low.value, high.value);
  if (order < 0 || (order === 0 && !low.isOpen && !high.isOpen)) return undefined;
  return {
    pointer,
    reason: `no number is both ${low.isOpen ? "above" : "at least"} ${low.literal} and ${high.isOpen ? "below" : "at most"} ${high.literal}`,
  };
}

type Bound = { literal: string; isOpen: boolean; value: Decimal };

/** Returns the strictest bound. `sign`: 1 for the highest, -1 for the lowest. */
function extreme(bounds: readonly Bound[], sign: 1 | -1): Bound | undefined {
  return bounds.reduce<Bound | undefined>((best, bound) => {
    if (!best) return bound;
    const order = sign * compareDecimals(bound.value, best.value);
    return order > 0 || (order === 0 && bound.isOpen) ? bound : best;
  }, undefined);
}
