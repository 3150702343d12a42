import { Ajv, type Format, type ValidateFunction } from "ajv";

/**
 * Compiles the check of a shape of ours. The shape itself is not validated: ajv would compile its metaschema for that,
 * which takes half of the start of the process.
 *
 * @param shape a schema from `@video-to-json/contract`.
 * @param formats the checks of the formats that it names.
 */
export function compileShape<T = unknown>(shape: object, formats: Record<string, Format> = {}): ValidateFunction<T> {
  return new Ajv({ allErrors: true, validateSchema: false, formats }).compile<T>(shape);
}
