import type { PlainObject } from "../json-schema/plain-schema.ts";

const sentences: Record<string, (operand: unknown) => string> = {
  pattern: (pattern) => `Must match the pattern ${pattern}`,
  format: (format) => `Format: ${format}`,
  minLength: (length) => `At least ${length} characters`,
  maxLength: (length) => `At most ${length} characters`,
  minItems: (length) => `At least ${length} items`,
  maxItems: (length) => `At most ${length} items`,
  minProperties: (length) => `At least ${length} keys`,
  maxProperties: (length) => `At most ${length} keys`,
  exactMinimum: (bound) => `${bound} or more`,
  exactMaximum: (bound) => `${bound} or less`,
  exactExclusiveMinimum: (bound) => `More than ${bound}`,
  exactExclusiveMaximum: (bound) => `Less than ${bound}`,
  exactMultipleOf: (step) => `A multiple of ${step}`,
  exactUniqueItems: () => "No item twice",
};

const longest = 200;

/** What a subschema bounds that the model's decoding does not take or takes badly, one sentence each without its stop. */
export function noteBounds(part: PlainObject): string[] {
  return Object.entries(sentences).flatMap(([keyword, sentence]) => {
    const note = part[keyword] === undefined ? "" : sentence(part[keyword]);
    return note === "" || note.length > longest ? [] : [note];
  });
}
