import { canonicalNumber, plainNumber } from "../json/decimal.ts";
import type { SchemaDialect } from "./schema-dialect.ts";

type Lean = Record<string, unknown>;

const maxDescribedValues = 20;
const maxDescribedLength = 60;

/**
 * Returns an `enum` of strings and numbers, the values that providers can enforce, or undefined when the values do not
 * fit into one. A null among the values becomes a branch of its own.
 *
 * @param texts the allowed values as JSON texts (see `canonicalText`).
 * @param types the allowed types; undefined means any.
 */
export function leanValues(
  texts: readonly string[],
  types: readonly string[] | undefined,
  { keywords, maxEnumValues, maxEnumCharacters }: SchemaDialect,
): Lean | undefined {
  if (!keywords.includes("enum")) return undefined;
  // A number that a double cannot represent would become another number, which does not conform.
  if (!texts.every(isExact)) return undefined;
  const values = texts.map((text): unknown => JSON.parse(text)).filter((value) => fits(value, types));
  const plain = values.filter((value) => value !== null);
  const isTooLong = plain.length > maxEnumValues || texts.join("").length > maxEnumCharacters;
  if (plain.length === 0 || isTooLong || plain.includes("") || !plain.every(isStringOrNumber)) return undefined;
  const type = commonType(plain);
  if (type === undefined) return undefined;
  const list = { type, enum: plain };
  if (plain.length === values.length) return list;
  return keywords.includes("anyOf") ? { anyOf: [list, { type: "null" }] } : undefined;
}

/** Returns a sentence, without its full stop, that lists the values; an empty list if they are too many or too long. */
export function describeValues(texts: readonly string[]): string[] {
  const list = texts.slice(0, maxDescribedValues + 1).map((text) => plainNumber(text) ?? text);
  const isTooMuch = list.length > maxDescribedValues || list.some((text) => text.length > maxDescribedLength);
  if (list.length === 0 || isTooMuch) return [];
  return [list.length === 1 ? `Must be ${list[0]}` : `Must be one of ${list.join(", ")}`];
}

function isExact(text: string): boolean {
  const value: unknown = JSON.parse(text);
  return typeof value !== "number" || (Number.isFinite(value) && canonicalNumber(String(value)) === text);
}

function fits(value: unknown, types: readonly string[] | undefined): boolean {
  if (!types) return true;
  if (value === null) return types.includes("null");
  if (typeof value !== "number") return types.includes(Array.isArray(value) ? "array" : typeof value);
  return types.includes("number") || (Number.isInteger(value) && types.includes("integer"));
}

function isStringOrNumber(value: unknown): boolean {
  return (typeof value === "string" && value.isWellFormed()) || (typeof value === "number" && Number.isFinite(value));
}

function commonType(values: readonly unknown[]): string | undefined {
  if (values.every((value) => typeof value === "string")) return "string";
  if (values.every((value) => Number.isSafeInteger(value))) return "integer";
  return values.every((value) => typeof value === "number") ? "number" : undefined;
}
