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
  /** A list of them. A single value is taken as a list of one, as the service does. */
  repeated?: true;
  /** An object with keys of the caller's choice. */
  map?: true;
};

/** A message: its fields by camelCase name. */
export type Shape = Readonly<Record<string, Field>>;

/**
 * Reads a message as strictly as the service: camelCase and snake_case names, nothing unknown, the right types. Gives
 * it back under camelCase names. Throws INVALID_ARGUMENT with one BadRequest violation a fault.
 */
export function readMessage(shape: Shape, value: Record<string, unknown>): Record<string, unknown> {
  const faults: Fault[] = [];
  const message = readFields(shape, value, "", faults);
  if (faults.length === 0) return message;
  const fieldViolations = faults.map(({ field, description }) => ({ ...(field ? { field } : {}), description }));
  throw invalidArgument(faults.map((fault) => fault.description).join("\n"), {
    details: [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations }],
  });
}

type Fault = { field: string; description: string };

const deepest = 100;

function readFields(shape: Shape, value: object, path: string, faults: Fault[]): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  for (const [key, inside] of Object.entries(value)) {
    const name = fieldName(shape, key);
    const field = name === undefined ? undefined : shape[name];
    if (name === undefined || field === undefined) {
      const place = path === "" ? "" : ` at '${path}'`;
      const description = `Invalid JSON payload received. Unknown name "${key}"${place}: Cannot find field.`;
      faults.push({ field: path, description });
    } else if (inside !== null) {
      const at = path === "" ? snakeCase(name) : `${path}.${snakeCase(name)}`;
      message[name] = readField(field, inside, at, faults);
    }
  }
  return message;
}

/** The field that a key of the JSON names. `_responseJsonSchema` keeps its own underscore. */
function fieldName(shape: Shape, key: string): string | undefined {
  if (Object.hasOwn(shape, key)) return key;
  return Object.keys(shape).find((name) => snakeCase(name) === key);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function readField(field: Field, value: unknown, path: string, faults: Fault[]): unknown {
  if (path.split(".").length > deepest) {
    faults.push({ field: path, description: "Invalid JSON payload received. Message too deep." });
    return undefined;
  }
  if (field.map) {
    if (!isJsonObject(value)) return wrong(field, value, path, faults);
    return new Map(
      Object.entries(value).map(([key, inside], index) => {
        return [key, readOne(field, inside, `${path}[${index}].value`, faults)];
      }),
    );
  }
  if (field.repeated) {
    const list = Array.isArray(value) ? value : [value];
    return list.map((inside, index) => readOne(field, inside, `${path}[${index}]`, faults));
  }
  if (Array.isArray(value) && field.type !== "any") {
    const description = `Invalid JSON payload received. Unknown name "${path.split(".").at(-1)}" at '${path}': Proto field is not repeating, cannot start list.`;
    faults.push({ field: path, description });
    return undefined;
  }
  return readOne(field, value, path, faults);
}

function readOne(field: Field, value: unknown, path: string, faults: Fault[]): unknown {
  const { type } = field;
  if (type === "any") return value;
  if (typeof type === "function") {
    return isJsonObject(value) ? readFields(type(), value, path, faults) : wrong(field, value, path, faults);
  }
  if (typeof type !== "string") {
    const name = typeof value === "string" && type.find((option) => option.toUpperCase() === value.toUpperCase());
    return name || wrong(field, value, path, faults);
  }
  const read = readers[type](value);
  return read === undefined ? wrong(field, value, path, faults) : read;
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

function wrong(field: Field, value: unknown, path: string, faults: Fault[]): undefined {
  const shown = JSON.stringify(value)?.slice(0, 200) ?? "undefined";
  const description = `Invalid value at '${path}' (${typeName(field)}), ${shown}`;
  faults.push({ field: path, description });
  return undefined;
}

function typeName({ type }: Field): string {
  if (typeof type === "function") return "type.googleapis.com/google.ai.generativelanguage.v1beta message";
  if (typeof type !== "string") return "type.googleapis.com/google.ai.generativelanguage.v1beta enum";
  return type === "duration" ? "type.googleapis.com/google.protobuf.Duration" : `TYPE_${type.toUpperCase()}`;
}
