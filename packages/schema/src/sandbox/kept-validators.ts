import type { JsonNode } from "../json/read-json.ts";
import type { SchemaReader } from "../json-schema/schema-reader.ts";
import { compileValidator, type Validator } from "../json-schema/validator.ts";
import { computedMs } from "./time-limit.ts";

/** The validators of a thread. */
export type KeptValidators = {
  /** Returns the validator of a schema, which is given as text and parsed. Throws like `compileValidator`. */
  of(fullText: string, full: JsonNode): Validator;
  /** Drops all validators, because their memory is needed. */
  clear(): void;
};

/** A validator of a longer text, or with a longer compilation, may hold much memory. */
const maxCharacters = 8 * 1024;
const maxCompileMs = 100;

/**
 * Compiles validators and caches the last few, because a compilation takes ten times as long as the check of an answer,
 * and most schemas are used again. Two schemas share a validator only if their texts are equal. For use inside the
 * sandbox only.
 *
 * @param now returns the processor time of this thread in milliseconds.
 */
export function createKeptValidators(
  reader: Pick<SchemaReader, "relink">,
  { count = 4, now = computedMs }: { count?: number; now?: () => number } = {},
): KeptValidators {
  const kept = new Map<string, Validator>();
  const validatorOf = (fullText: string, full: JsonNode): Validator => {
    const known = kept.get(fullText);
    if (known) {
      kept.delete(fullText);
      kept.set(fullText, known);
      return known;
    }
    const startedAt = now();
    const validator = compileValidator(reader.relink(full));
    if (fullText.length > maxCharacters || now() - startedAt > maxCompileMs) return validator;
    kept.set(fullText, validator);
    const [oldest] = kept.keys();
    if (kept.size > count && oldest !== undefined) kept.delete(oldest);
    return validator;
  };
  return { of: validatorOf, clear: () => kept.clear() };
}
