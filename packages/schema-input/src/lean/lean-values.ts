type Lean = Record<string, unknown>;

const mostValues = 200;
const mostCharacters = 8000;

/**
 * An enum for the model's decoding, which takes strings and numbers, or undefined when the values do not lend themselves to
 * one. `texts` are JSON texts; null among them becomes a branch of its own.
 */
export function leanValues(texts: readonly string[], types: readonly string[] | undefined): Lean | undefined {
  const values = texts.map((text): unknown => JSON.parse(text)).filter((value) => fits(value, types));
  const plain = values.filter((value) => value !== null);
  const isTooLong = plain.length > mostValues || texts.join("").length > mostCharacters;
  if (plain.length === 0 || isTooLong || plain.includes("") || !plain.every(isStringOrNumber)) return undefined;
  const type = commonType(plain);
  if (type === undefined) return undefined;
  const list = { type, enum: plain };
  return plain.length === values.length ? list : { anyOf: [list, { type: "null" }] };
}

function fits(value: unknown, types: readonly string[] | undefined): boolean {
  if (!types) return true;
  if (value === null) return types.includes("null");
  if (typeof value !== "number") return types.includes(Array.isArray(value) ? "array" : typeof value);
  return types.includes("number") || (Number.isInteger(value) && types.includes("integer"));
}

function isStringOrNumber(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}

function commonType(values: readonly unknown[]): string | undefined {
  if (values.every((value) => typeof value === "string")) return "string";
  if (values.every((value) => Number.isSafeInteger(value))) return "integer";
  return values.every((value) => typeof value === "number") ? "number" : undefined;
}
