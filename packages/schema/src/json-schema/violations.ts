import type { ErrorObject } from "ajv";
import { plainNumber } from "../json/decimal.ts";
import { childPointer, shorten } from "../json/texts.ts";
import { originalOf } from "./many-properties.ts";
import { type Violation, violationText } from "./violation.ts";

/** The largest number of violations that a caller or a model gets for one answer. */
export const maxViolations = 20;
const maxOptions = 12;

/** Returns the violations of a value, without repetitions: `maxViolations` at most. */
export function violationsOf(errors: readonly ErrorObject[]): Violation[] {
  const found = new Map<string, Violation>();
  for (const error of errors) {
    if (found.size >= maxViolations) break;
    // The list also has the errors inside `then` and `else`. The linker writes `if` even for callers' schemas without
    // it.
    if (error.keyword === "if" && errors.length > 1) continue;
    const violation = describe(originalOf(error));
    const text = violationText(violation);
    if (!found.has(text)) found.set(text, violation);
  }
  return [...found.values()];
}

function describe(error: ErrorObject): Violation {
  const { instancePath: at, params, propertyName, message } = error;
  if (error.keyword === "required") {
    return { at: childPointer(at, params.missingProperty), reason: "is missing; it is required" };
  }
  if (error.keyword === "additionalProperties") {
    return { at: childPointer(at, params.additionalProperty), reason: "is a key that the schema does not allow" };
  }
  if (params.unevaluated !== undefined) {
    return { at: childPointer(at, params.unevaluated), reason: "is not allowed by the schema" };
  }
  const reason = reasons.get(error.keyword)?.(error) ?? message ?? `does not fit ${error.keyword}`;
  return propertyName === undefined
    ? { at, reason }
    : { at: childPointer(at, propertyName), reason: `the key ${reason}` };
}

// Other keywords keep ajv's own message.
const reasons = new Map<string, (error: ErrorObject) => string>([
  ["type", ({ params, data }) => `must be ${[params.type].flat().join(" or ")}, not ${typeName(data)}`],
  ["exactInteger", () => "must be integer, not number"],
  ["exactEnum", ({ schema }) => `must be one of ${options(schema as string[])}`],
  ["exactConst", ({ schema }) => `must be ${value(String(schema))}`],
  ["exactMinimum", ({ schema }) => `must be ${schema} or more`],
  ["exactMaximum", ({ schema }) => `must be ${schema} or less`],
  ["exactExclusiveMinimum", ({ schema }) => `must be more than ${schema}`],
  ["exactExclusiveMaximum", ({ schema }) => `must be less than ${schema}`],
  ["exactMultipleOf", ({ schema }) => `must be a multiple of ${schema}`],
  ["exactUniqueItems", () => "must not have the same item twice"],
  ["pattern", ({ schema }) => `must match the pattern ${schema}`],
  ["format", ({ schema }) => `must be a valid ${schema}`],
  ["anyOf", () => "must fit at least one of the alternatives (anyOf)"],
  ["manyAnyOf", () => "must fit at least one of the alternatives (anyOf)"],
  [
    "oneOf",
    ({ params }) =>
      params.passingSchemas
        ? "fits more than one of the alternatives (oneOf)"
        : "must fit one of the alternatives (oneOf)",
  ],
  ["manyOneOf", () => "must fit exactly one of the alternatives (oneOf)"],
  ["not", () => "must not fit the schema under `not`"],
  ["false schema", () => "is not allowed by the schema"],
]);

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
