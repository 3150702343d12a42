/** A JSON value. A Map keeps the order of every key, integer-like keys and `__proto__` included. */
export type Answer = null | boolean | number | string | Answer[] | Map<string, Answer>;

/** Returns the answer as JSON text. */
export function writeJson(answer: Answer): string {
  if (Array.isArray(answer)) return `[${answer.map(writeJson).join(",")}]`;
  if (!(answer instanceof Map)) return JSON.stringify(answer);
  return `{${[...answer].map(([key, value]) => `${JSON.stringify(key)}:${writeJson(value)}`).join(",")}}`;
}

/** Converts a parsed JSON value to an answer. */
export function toAnswer(value: unknown): Answer {
  if (Array.isArray(value)) return value.map(toAnswer);
  if (value !== null && typeof value === "object") {
    return new Map(Object.entries(value).map(([key, inside]) => [key, toAnswer(inside)]));
  }
  return (value ?? null) as Answer;
}

/** Returns a JSON value, or undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the words of a name or text in lower case: title, card, at for `titleCard_at`. */
export function wordsOf(text: string): string[] {
  const spaced = text.replace(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();
  return spaced.match(/[a-z]+|\d+/g) ?? [];
}

/** Returns whether any of the words is one of the others. */
export function hasAny(words: readonly string[], ...others: readonly string[]): boolean {
  return words.some((word) => others.includes(word));
}
