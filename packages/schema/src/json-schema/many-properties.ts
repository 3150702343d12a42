import type { Ajv, ErrorObject, ValidateFunction } from "ajv";
import type { DataValidateFunction, DataValidationCxt } from "ajv/dist/types/index.js";
import type { JsonObject } from "../json/json-value.ts";
import { childPointer } from "../json/texts.ts";
import type { PlainObject, PlainSchema } from "./plain-schema.ts";

/** The linker writes more properties than this under `manyProperties`, and only their names under `properties`. */
export const maxInlineProperties = 50;

/**
 * Adds `manyProperties`. ajv writes code for every property of a schema, which takes seconds for thousands of them.
 * Here, only the properties that occur in a value are compiled, and equal subschemas are compiled once.
 */
export function addManyPropertiesKeyword(ajv: Ajv): void {
  ajv.addKeyword({
    keyword: "manyProperties",
    type: "object",
    errors: true,
    compile(properties: Record<string, PlainSchema>) {
      const compiled = new Map<string, ValidateFunction>();
      const validate: DataValidateFunction = (data: JsonObject, at?: DataValidationCxt) => {
        const errors = Object.keys(data).flatMap((key) => {
          const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
          return schema === undefined ? [] : errorsOf(schema, data, key, at);
        });
        validate.errors = errors;
        return errors.length === 0;
      };
      return validate;

      function errorsOf(schema: PlainSchema, data: JsonObject, key: string, at: DataValidationCxt | undefined) {
        const silent = typeof schema === "boolean" ? schema : withoutWords(schema);
        const text = JSON.stringify(silent);
        const test = compiled.get(text) ?? ajv.compile(silent);
        compiled.set(text, test);
        const inside = { parentData: data, parentDataProperty: key, rootData: data, dynamicAnchors: {} };
        const isValid = test(data[key], { ...inside, instancePath: childPointer(at?.instancePath ?? "", key) });
        return isValid === true ? [] : (test.errors ?? []).map(keepWords);
      }
    },
  });
}

// ajv overwrites the position of a keyword's errors, but not their `params`.
function keepWords(error: ErrorObject): ErrorObject {
  return { ...error, params: { original: originalOf(error) } };
}

/** Returns the original error, from inside any number of `manyProperties`. */
export function originalOf(error: ErrorObject): ErrorObject {
  return (error.params.original as ErrorObject | undefined) ?? error;
}

function withoutWords({ title, description, ...rest }: PlainObject): PlainObject {
  return rest;
}
