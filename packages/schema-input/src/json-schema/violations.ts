import type { ErrorObject } from "ajv";
import { plainNumber } from "../json/decimal.ts";
import { childPointer } from "../json/pointer.ts";
import { shorten } from "../json/well-formed.ts";
import { originalOf } from "./many-properties.ts";

const most = 20;
const maxOptions = 12;
const longest = 300;

/** What a value violates, `<JSON pointer>: <reason>` each: without repeats, at most 20 of at most 300 characters. */
export function describeErrors(errors: readonly ErrorObject[]): string[] {
  const texts = new Set<string>();
  for (const error of errors) {
    if (texts.size >= most) break;
    // What of `then` or `else` does not fit is told by itself; the words may not even be the caller's.
    if (error.keyword === "if" && errors.length > 1) continue;
    texts.add(shorten(describe(originalOf(error)), longest));
  }
  return [...texts];
}

function describe(error: ErrorObject): string {
  const { instancePath: at, params, propertyName } = error;
  if (error.keyword === "required") return `${childPointer(at, params.missingProperty)}: is missing; it is required`;
  if (error.keyword === "additionalProperties") {
    return `${childPointer(at, params.additionalProperty)}: is a key that the schema does not allow`;
  }
  if (params.unevaluated !== undefined) return `${childPointer(at, params.unevaluated)}: is not allowed by the schema`;
  const reason = reasonOf(error);
  return propertyName === undefined ? `${at}: ${reason}` : `${childPointer(at, propertyName)}: the key ${reason}`;
}

function reasonOf({ keyword, params, schema, data, message }: ErrorObject): string {
  switch (keyword) {
    case "type":
      return `must be ${[params.type].flat().join(" or ")}, not ${typeName(data)}`;
    case "exactEnum":
      return `must be one of ${options(schema as string[])}`;
    case "exactConst":
      return `must be ${value(String(schema))}`;
    case "exactMinimum":
      return `must be ${schema} or more`;
    case "exactMaximum":
      return `must be ${schema} or less`;
    case "exactExclusiveMinimum":
      return `must be more than ${schema}`;
    case "exactExclusiveMaximum":
      return `must be less than ${schema}`;
    case "exactMultipleOf":
      return `must be a multiple of ${schema}`;
    case "exactUniqueItems":
      return "must not have the same item twice";
    case "pattern":
      return `must match the pattern ${schema}`;
    case "format":
      return `must be a valid ${schema}`;
    case "anyOf":
    case "manyAnyOf":
      return "must fit at least one of the alternatives (anyOf)";
    case "oneOf":
      return params.passingSchemas
        ? "fits more than one of the alternatives (oneOf)"
        : "must fit one of the alternatives (oneOf)";
    case "manyOneOf":
      return "must fit exactly one of the alternatives (oneOf)";
    case "not":
      return "must not fit the schema under `not`";
    case "false schema":
      return "is not allowed by the schema";
    default:
      return message ?? `does not fit ${keyword}`;
  }
}

function options(texts: string[]): string {
  const shown = texts.slice(0, maxOptions).map(value);
  return texts.length > maxOptions ? `${shown.join(", ")} and ${texts.length - maxOptions} more` : shown.join(", ");
}

function value(text: string): string {
  return shorten(plainNumber(text) ?? text, 80);
}

function typeName(data: unknown): string {
  if (data === null) return "null";
  if (Array.isArray(data)) return "array";
  return typeof data;
}
