/** Joins texts into sentences: each one but the last gets a full stop if it has none. Returns undefined without texts. */
export function inSentences(parts: readonly (string | undefined)[]): string | undefined {
  const written = parts.map((part) => part?.trim() ?? "").filter((part) => part !== "");
  if (written.length === 0) return undefined;
  return written.map((part, index) => (index === written.length - 1 || isEnded(part) ? part : `${part}.`)).join(" ");
}

function isEnded(part: string): boolean {
  return /[\p{Sentence_Terminal}…:;][\p{Pe}\p{Pf}"']*$/u.test(part);
}
