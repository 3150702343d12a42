import { canonicalNumber, plainNumber } from "../json/decimal.ts";

type Lean = Record<string, unknown>;

const mostValues = 200;
const mostCharacters = 8000;
const mostTold = 20;
const longestTold = 60;

/**
 * An enum for the model's decoding, which takes strings and numbers, or undefined when the values do not lend themselves to
 * one. `texts` are JSON texts (see `canonicalText`); null among them becomes a branch of its own.
 */
export function leanValues(texts: readonly string[], types: readonly string[] | undefined): Lean | undefined {
  // A number that no double holds would be listed as another one, which does not conform.
  if (!texts.every(isExact)) return undefined;
  const values = texts.map((text): unknown => JSON.parse(text)).filter((value) => fits(value, types));
  const plain = values.filter((value) => value !== null);
  const isTooLong = plain.length > mostValues || texts.join("").length > mostCharacters;
  if (plain.length === 0 || isTooLong || plain.includes("") || !plain.every(isStringOrNumber)) return undefined;
  const type = commonType(plain);
  if (type === undefined) return undefined;
  const list = { type, enum: plain };
  return plain.length === values.length ? list : { anyOf: [list, { type: "null" }] };
}

/** The same in words, where there is room: none or one sentence without its stop. */
export function noteValues(texts: readonly string[]): string[] {
  const list = texts.slice(0, mostTold + 1).map((text) => plainNumber(text) ?? text);
  if (list.length === 0 || list.length > mostTold || list.some((text) => text.length > longestTold)) return [];
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
