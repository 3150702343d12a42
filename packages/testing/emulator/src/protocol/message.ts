import { isJsonObject } from "@video-to-json/contract";
import { invalidArgument } from "./api-error.ts";

/** One field of a message: the JSON form of a protocol buffer field. */
type Field = {
  type:
    | "string"
    | "bytes"
    | "int32"
    | "int64"
    | "float"
    | "bool"
    | "duration"
    | "any"
    | readonly string[]
    | (() => Shape);
  /** A list. A single value counts as a list of one, as with Gemini. */
  repeated?: true;
  /** An object whose keys the caller chooses. */
  map?: true;
};

/** The fields of a message by their camelCase names. */
export type Shape = Readonly<Record<string, Field>>;

/**
 * Reads a message as strictly as Gemini does: names in camelCase or snake_case, no unknown fields, the right types.
 *
 * Returns the fields under their camelCase names. Throws INVALID_ARGUMENT with a BadRequest violation for each error.
 */
export function readMessage(shape: Shape, value: Record<string, unknown>): Record<string, unknown> {
  const errors: FieldError[] = [];
  const message = readFields(shape, value, "", errors);
  if (errors.length === 0) return message;
  const fieldViolations = errors.map(({ field, description }) => ({ ...(field ? { field } : {}), description }));
  throw invalidArgument(errors.map((error) => error.description).join("\n"), {
    details: [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations }],
  });
}

type FieldError = { field: string; description: string };

const maxDepth = 100;

function readFields(shape: Shape, value: object, path: string, errors: FieldError[]): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  for (const [key, inside] of Object.entries(value)) {
    const name = fieldName(shape, key);
    const field = name === undefined ? undefined : shape[name];
    if (name === undefined || field === undefined) {
      const place = path === "" ? "" : ` at '${path}'`;
      const description = `Invalid JSON payload received. Unknown name "${key}"${place}: Cannot find field.`;
      errors.push({ field: path, description });
    } else if (inside !== null) {
      const at = path === "" ? snakeCase(name) : `${path}.${snakeCase(name)}`;
      message[name] = readField(field, inside, at, errors);
    }
  }
  return message;
}

/** Returns the field that a key names. `_responseJsonSchema` keeps its leading underscore. */
function fieldName(shape: Shape, key: string): string | undefined {
  if (Object.hasOwn(shape, key)) return key;
  return Object.keys(shape).find((name) => snakeCase(name) === key);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function readField(field: Field, value: unknown, path: string, errors: FieldError[]): unknown {
  if (path.split(".").length > maxDepth) {
    errors.push({ field: path, description: "Invalid JSON payload received. Message too deep." });
    return undefined;
  }
  if (field.map) {
    if (!isJsonObject(value)) return wrong(field, value, path, errors);
    return new Map(
      Object.entries(value).map(([key, inside], index) => {
        return [key, readOne(field, inside, `${path}[${index}].value`, errors)];
      }),
    );
  }
  if (field.repeated) {
    const list = Array.isArray(value) ? value : [value];
    return list.map((inside, index) => readOne(field, inside, `${path}[${index}]`, errors));
  }
  if (Array.isArray(value) && field.type !== "any") {
    const description = `Invalid JSON payload received. Unknown name "${path.split(".").at(-1)}" at '${path}': Proto field is not repeating, cannot start list.`;
    errors.push({ field: path, description });
    return undefined;
  }
  return readOne(field, value, path, errors);
}

function readOne(field: Field, value: unknown, path: string, errors: FieldError[]): unknown {
  const { type } = field;
  if (type === "any") return value;
  if (typeof type === "function") {
    return isJsonObject(value) ? readFields(type(), value, path, errors) : wrong(field, value, path, errors);
  }
  if (typeof type !== "string") {
    const name = typeof value === "string" && type.find((option) => option.toUpperCase() === value.toUpperCase());
    return name || wrong(field, value, path, errors);
  }
  const read = readers[type](value);
  return read === undefined ? wrong(field, value, path, errors) : read;
}

const readers = {
  string: (value: unknown) => (typeof value === "string" ? value : undefined),
  bytes: (value: unknown) => (typeof value === "string" && /^[\w+/-]*={0,2}$/.test(value) ? value : undefined),
  int32: (value: unknown) => wholeNumber(value, 2 ** 31),
  int64: (value: unknown) => wholeNumber(value, 2 ** 63),
  float: (value: unknown) => finite(value),
  bool: (value: unknown) => (typeof value === "boolean" ? value : undefined),
  duration: (value: unknown) =>
    typeof value === "string" && /^\d+(\.\d{1,9})?s$/.test(value) ? Number(value.slice(0, -1)) : undefined,
} as const;

function finite(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function wholeNumber(value: unknown, limit: number): number | undefined {
  const number = finite(value);
  return number !== undefined && Number.isInteger(number) && Math.abs(number) <= limit ? number : undefined;
}

function wrong(field: Field, value: unknown, path: string, errors: FieldError[]): undefined {
  const shown = JSON.stringify(value)?.slice(0, 200) ?? "undefined";
  const description = `Invalid value at '${path}' (${typeName(field)}), ${shown}`;
  errors.push({ field: path, description });
  return undefined;
}

function typeName({ type }: Field): string {
  if (typeof type === "function") return "type.googleapis.com/google.ai.generativelanguage.v1beta message";
  if (typeof type !== "string") return "type.googleapis.com/google.ai.generativelanguage.v1beta enum";
  return type === "duration" ? "type.googleapis.com/google.protobuf.Duration" : `TYPE_${type.toUpperCase()}`;
}
