/**
 * Formats JSON text over several lines with an indent of two. Does not parse it, so that key order, repeated keys and
 * every literal stay unchanged. The text must be valid JSON.
 */
export function prettyJson(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  let opened = false;
  for (const part of tokens(text)) {
    const closes = part === "}" || part === "]";
    if (closes) depth--;
    if (closes ? !opened : opened) parts.push(newLine(depth));
    parts.push(part === ":" ? ": " : part);
    if (part === ",") parts.push(newLine(depth));
    opened = part === "{" || part === "[";
    if (opened) depth++;
  }
  return parts.join("");
}

/** Joins the lines of a JSON text. No JSON literal contains a line break. */
export function oneLine(text: string): string {
  return text.trim().replace(/[\r\n]+/g, " ");
}

function* tokens(text: string): Generator<string> {
  const next = /[{}[\],:]|"|[^\s{}[\],:"]+/g;
  for (let found = next.exec(text); found; found = next.exec(text)) {
    if (found[0] === '"') next.lastIndex = endOfString(text, found.index);
    yield text.slice(found.index, next.lastIndex);
  }
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function newLine(depth: number): string {
  return `\n${"  ".repeat(depth)}`;
}
