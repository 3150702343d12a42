import { isJsonObject } from "@video-to-json/contract";
import { invalidArgument } from "./exchange.ts";

/** One field of a message. A list is a repeated field, which may also be a single value as with Gemini. */
type Field = keyof typeof readers | "any" | OneOf | Shape | readonly [Field];
type OneOf = { readonly oneOf: readonly string[] };

/** The fields of a message by their camelCase names. */
export type Shape = { readonly [name: string]: Field };

/** A message that was read. */
export type Message<S> = { -readonly [Name in keyof S]?: Value<S[Name]> };

type Value<F> = F extends "any"
  ? unknown
  : F extends keyof typeof readers
    ? NonNullable<ReturnType<(typeof readers)[F]>>
    : F extends OneOf
      ? string
      : F extends readonly [infer Each]
        ? Value<Each>[]
        : Message<F>;

type FieldError = { field: string; description: string };

const maxDepth = 100;

/**
 * Reads a message as strictly as Gemini does: names in camelCase or snake_case, no unknown fields, the right types.
 *
 * Returns the fields under their camelCase names. Throws INVALID_ARGUMENT with a BadRequest violation for each error.
 */
export function readMessage<const S extends Shape>(shape: S, value: Record<string, unknown>): Message<S> {
  const errors: FieldError[] = [];
  const message = readFields(shape, value, "", errors);
  if (errors.length === 0) return message as Message<S>;
  const fieldViolations = errors.map(({ field, description }) => ({ ...(field ? { field } : {}), description }));
  throw invalidArgument(errors.map((error) => error.description).join("\n"), {
    details: [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations }],
  });
}

/** Returns where a message differs from its table: unknown members and wrong types. */
export function formFaults(shape: Shape, value: object): string[] {
  const errors: FieldError[] = [];
  readFields(shape, value, "", errors);
  return errors.map(({ description }) => description);
}

function readFields(shape: Shape, value: object, path: string, errors: FieldError[]): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  for (const [key, inside] of Object.entries(value)) {
    const name = Object.keys(shape).find((each) => each === key || snakeCase(each) === key);
    const field = name === undefined ? undefined : shape[name];
    if (name === undefined || field === undefined) {
      const place = path === "" ? "" : ` at '${path}'`;
      const description = `Invalid JSON payload received. Unknown name "${key}"${place}: Cannot find field.`;
      errors.push({ field: path, description });
    } else if (inside !== null) {
      const at = path === "" ? snakeCase(name) : `${path}.${snakeCase(name)}`;
      message[name] = isRepeated(field)
        ? [inside].flat().map((each, index) => readOne(field[0], each, `${at}[${index}]`, errors))
        : readOne(field, inside, at, errors);
    }
  }
  return message;
}

function isRepeated(field: Field): field is readonly [Field] {
  return Array.isArray(field);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function readOne(field: Field, value: unknown, path: string, errors: FieldError[]): unknown {
  if (field === "any" || isRepeated(field)) return value;
  let [read, typeName]: [unknown, string] = [undefined, "type.googleapis.com/google.ai.generativelanguage.v1beta"];
  if (typeof field === "string") {
    read = readers[field](value);
    typeName = `TYPE_${field.toUpperCase()}`;
  } else if (isOneOf(field)) read = field.oneOf.find((option) => option === String(value).toUpperCase());
  else if (isJsonObject(value) && path.split(".").length < maxDepth) read = readFields(field, value, path, errors);
  if (read !== undefined) return read;
  const shown = JSON.stringify(value)?.slice(0, 200);
  errors.push({ field: path, description: `Invalid value at '${path}' (${typeName}), ${shown}` });
  return undefined;
}

function isOneOf(field: Shape | OneOf): field is OneOf {
  return Array.isArray(field.oneOf);
}

const readers = {
  string: (value: unknown) => (typeof value === "string" ? value : undefined),
  bytes: (value: unknown) => (typeof value === "string" && /^[\w+/-]*={0,2}$/.test(value) ? value : undefined),
  int32: (value: unknown) => wholeNumber(value, 2 ** 31),
  int64: (value: unknown) => wholeNumber(value, 2 ** 63),
  float: (value: unknown) => finite(value),
  bool: (value: unknown) => (typeof value === "boolean" ? value : undefined),
  timestamp: (value: unknown) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value) ? value : undefined,
  duration: (value: unknown) =>
    /^\d+(\.\d{1,9})?s$/.test(String(value)) ? Number.parseFloat(String(value)) : undefined,
} as const;

function finite(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function wholeNumber(value: unknown, limit: number): number | undefined {
  const number = finite(value);
  return number !== undefined && Number.isInteger(number) && Math.abs(number) <= limit ? number : undefined;
}
