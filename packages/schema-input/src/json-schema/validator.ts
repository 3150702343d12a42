import { Ajv, type ErrorObject } from "ajv";
import type { ExactValue } from "../json/json-value.ts";
import { formats } from "./formats/formats.ts";
import { addExactKeywords, type Subject } from "./keywords.ts";
import { addManyBranchKeywords } from "./many-branches.ts";
import { addManyPropertiesKeyword } from "./many-properties.ts";
import { compilePattern } from "./pattern.ts";
import { type LinkedSchema, linkedAddress } from "./plain-schema.ts";
import { addUnevaluatedKeywords } from "./unevaluated.ts";

/** Validates one value: what is wrong with it, nothing when it conforms. */
export type Validator = (exact: ExactValue) => readonly ErrorObject[];

/**
 * Compiles a linked schema with an ajv of its own, so that no schema can see or slow another.
 * Overflows the stack or runs on for schemas built to do so: only for use inside the sandbox.
 */
export function compileValidator(schema: LinkedSchema, enforced = formats): Validator {
  const subject: Subject = { current: { value: null, literal: String } };
  const ajv = new Ajv({
    strict: false,
    next: true,
    validateSchema: false,
    meta: false,
    allErrors: true,
    verbose: true,
    // Inlining what is referred to often would multiply the code.
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
    return validate(exact.value) ? [] : (validate.errors ?? []);
  };
}
