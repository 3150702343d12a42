const ids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const someone = /[\w-]+@example\.com/g;

/** Returns whether an output matches a document. Ids and accounts may differ; a line `…` means any lines. */
export function isPrinted(shown: string, output: string, language: string): boolean {
  const [expected, got] = [shown, output].map((text) => text.replace(ids, "id").replace(someone, "someone").trim());
  if (expected === undefined || got === undefined) return false;
  if (language === "json") return sameJson(expected, got);
  const parts = expected.split(/^…$/m).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join("[\\s\\S]*?")}$`).test(got);
}

function sameJson(expected: string, got: string): boolean {
  try {
    return JSON.stringify(JSON.parse(expected)) === JSON.stringify(JSON.parse(got));
  } catch {
    return false;
  }
}
