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

const maxSentenceLength = 200;

/** Returns a sentence, without its full stop, for each constraint that a lean schema leaves out. */
export function describeBounds(part: PlainObject): string[] {
  return Object.entries(sentences).flatMap(([keyword, sentence]) => {
    const text = part[keyword] === undefined ? "" : sentence(part[keyword]);
    return text === "" || text.length > maxSentenceLength ? [] : [text];
  });
}
