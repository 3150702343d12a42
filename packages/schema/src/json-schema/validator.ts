import { Ajv, type ErrorObject } from "ajv";
import type { ExactValue } from "../json/json-value.ts";
import { formats } from "./formats/formats.ts";
import { addExactKeywords, type Subject } from "./keywords.ts";
import { addManyBranchKeywords } from "./many-branches.ts";
import { addManyPropertiesKeyword } from "./many-properties.ts";
import { compilePattern } from "./pattern.ts";
import { type LinkedSchema, linkedAddress } from "./plain-schema.ts";
import { addUnevaluatedKeywords } from "./unevaluated.ts";

/** Returns the errors of a value. The list is empty when the value conforms. */
export type Validator = (exact: ExactValue) => readonly ErrorObject[];

/**
 * Compiles a linked schema with its own ajv, so that schemas cannot see or slow one another. `enforced` are the formats
 * by name. For use inside the sandbox only: a hostile schema can overflow the stack or run without end.
 */
export function compileValidator(schema: LinkedSchema, enforced = formats): Validator {
  const nothing: ExactValue = { value: null, literal: String };
  const subject: Subject = { current: nothing };
  const ajv = new Ajv({
    strict: false,
    next: true,
    validateSchema: false,
    meta: false,
    allErrors: true,
    verbose: true,
    // Inlining a definition with many references would multiply the code.
    inlineRefs: false,
    logger: false,
    formats: Object.fromEntries(enforced),
    code: { regExp: Object.assign(compilePattern, { code: "compilePattern" }), optimize: false },
  });
  const textOf = addExactKeywords(ajv, subject);
  addManyBranchKeywords(ajv, textOf);
  addManyPropertiesKeyword(ajv);
  addUnevaluatedKeywords(ajv, schema);
  ajv.addSchema(schema, linkedAddress);
  const validate = ajv.compile({ $ref: schema.$ref });
  return (exact) => {
    subject.current = exact;
    const errors = validate(exact.value) ? [] : (validate.errors ?? []);
    // A validator may be cached, but the value belongs to a caller.
    subject.current = nothing;
    validate.errors = null;
    return errors;
  };
}
