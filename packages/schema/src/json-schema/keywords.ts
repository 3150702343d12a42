import type { Ajv } from "ajv";
import type { DataValidateFunction, DataValidationCxt } from "ajv/dist/types/index.js";
import { compareDecimals, isMultiple, readDecimal } from "../json/decimal.ts";
import { canonicalText, type ExactValue, type JsonValue } from "../json/json-value.ts";

/** The value under validation. The exact keywords look up the number literals that a double cannot hold. */
export type Subject = { current: ExactValue };

/** Returns the canonical text of a part of the value under validation (see `canonicalText`). */
export type TextOf = (data: JsonValue, at: DataValidationCxt | undefined) => string;

/**
 * Adds replacements for the keywords for which ajv uses doubles or quadratic time. The linker writes them. Their
 * operands are JSON texts. Numbers are compared exactly; enums, constants and unique items are compared by canonical
 * text. Returns the function that computes the canonical text.
 */
export function addExactKeywords(ajv: Ajv, subject: Subject): TextOf {
  const bounds = {
    exactMinimum: (order: number) => order >= 0,
    exactMaximum: (order: number) => order <= 0,
    exactExclusiveMinimum: (order: number) => order > 0,
    exactExclusiveMaximum: (order: number) => order < 0,
  };
  for (const [keyword, holds] of Object.entries(bounds)) {
    ajv.addKeyword({
      keyword,
      type: "number",
      compile(literal: string) {
        const bound = readDecimal(literal);
        return onNumber((value) => holds(compareDecimals(value, bound)));
      },
    });
  }
  ajv.addKeyword({
    keyword: "exactInteger",
    type: "number",
    // `type` refuses a value that is not an integer as a double. A double may also look whole because it cannot hold
    // all digits.
    compile: () => (data: number, at?: DataValidationCxt) =>
      (!Number.isInteger(data) && Number.isFinite(data)) || readDecimal(literalAt(at)).exponent >= 0,
  });
  ajv.addKeyword({
    keyword: "exactMultipleOf",
    type: "number",
    compile(literal: string) {
      const step = readDecimal(literal);
      return onNumber((value) => isMultiple(value, step));
    },
  });
  ajv.addKeyword({
    keyword: "exactConst",
    compile: (text: string) => (data: JsonValue, at?: DataValidationCxt) => textOf(data, at) === text,
  });
  ajv.addKeyword({
    keyword: "exactEnum",
    compile(texts: string[]) {
      const allowed = new Set(texts);
      return (data: JsonValue, at?: DataValidationCxt) => allowed.has(textOf(data, at));
    },
  });
  ajv.addKeyword({
    keyword: "exactUniqueItems",
    type: "array",
    compile() {
      return (items: JsonValue[]) => {
        const seen = new Set(items.map((item, index) => canonicalText(subject.current, item, items, String(index))));
        return seen.size === items.length;
      };
    },
  });

  return textOf;

  function onNumber(holds: (value: ReturnType<typeof readDecimal>) => boolean): DataValidateFunction {
    return (_data: number, at?: DataValidationCxt) => holds(readDecimal(literalAt(at)));
  }

  function textOf(data: JsonValue, at: DataValidationCxt | undefined): string {
    return canonicalText(subject.current, data, containerAt(at), String(at?.parentDataProperty ?? ""));
  }

  function literalAt(at: DataValidationCxt | undefined): string {
    return subject.current.literal(containerAt(at), String(at?.parentDataProperty ?? ""));
  }
}

function containerAt(at: DataValidationCxt | undefined): object | undefined {
  return at?.instancePath === "" ? undefined : at?.parentData;
}
