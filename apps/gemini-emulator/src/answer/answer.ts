/** A JSON value whose objects keep every key where it was put: `2` before `10`, and `__proto__` too. */
export type Answer = null | boolean | number | string | Answer[] | Map<string, Answer>;

/** The answer as JSON text. */
export function writeJson(answer: Answer): string {
  if (Array.isArray(answer)) return `[${answer.map(writeJson).join(",")}]`;
  if (!(answer instanceof Map)) return JSON.stringify(answer);
  return `{${[...answer].map(([key, value]) => `${JSON.stringify(key)}:${writeJson(value)}`).join(",")}}`;
}

/** A parsed JSON value as an answer. */
export function answerOf(value: unknown): Answer {
  if (Array.isArray(value)) return value.map(answerOf);
  if (value !== null && typeof value === "object") {
    return new Map(Object.entries(value).map(([key, inside]) => [key, answerOf(inside)]));
  }
  return (value ?? null) as Answer;
}
