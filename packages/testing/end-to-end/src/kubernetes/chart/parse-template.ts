/** A part of a template: plain text, a value, or a block around other parts. */
export type Part =
  | { is: "text"; text: string }
  | { is: "value"; pipeline: string }
  | { is: "if"; pipeline: string; parts: Part[]; otherwise: Part[] }
  | { is: "range"; key: string; value: string; pipeline: string; parts: Part[] }
  | { is: "define"; name: string; parts: Part[] };

type Token = { text: string } | { action: string };
type End = "end" | "else" | "nothing";

/**
 * Parses a template of Helm that uses text, values, `if`, `else`, `range $key, $value :=` and `define`, with comments and
 * marks that trim white space. Throws at anything else.
 */
export function parseTemplate(text: string): Part[] {
  const { parts, end } = parseParts(tokensOf(text));
  if (end !== "nothing") throw new Error(`an "${end}" without a block`);
  return parts;
}

function* tokensOf(text: string): Iterator<Token> {
  const action = /(?:\s*\{\{-\s|\{\{)\s*(\/\*[\s\S]*?\*\/|[\s\S]*?)\s*(?:\s-\}\}\s*|\}\})/g;
  let start = 0;
  for (const match of text.matchAll(action)) {
    yield { text: text.slice(start, match.index) };
    if (!match[1]?.startsWith("/*")) yield { action: match[1] ?? "" };
    start = match.index + match[0].length;
  }
  yield { text: text.slice(start) };
}

function parseParts(tokens: Iterator<Token>): { parts: Part[]; end: End } {
  const parts: Part[] = [];
  for (let next = tokens.next(); !next.done; next = tokens.next()) {
    const token = next.value;
    if ("text" in token) {
      if (token.text !== "") parts.push({ is: "text", text: token.text });
    } else if (token.action === "end" || token.action === "else") {
      return { parts, end: token.action };
    } else {
      parts.push(parseAction(token.action, tokens));
    }
  }
  return { parts, end: "nothing" };
}

function parseAction(action: string, tokens: Iterator<Token>): Part {
  const [, keyword, rest = ""] =
    /^(if|range|define|with|else|block|template|end|break|continue)\b\s*(.*)$/s.exec(action) ?? [];
  switch (keyword) {
    case undefined:
      return { is: "value", pipeline: action };
    case "if": {
      const { parts, end } = parseParts(tokens);
      if (end === "nothing") throw new Error("a block without an end");
      return { is: "if", pipeline: rest, parts, otherwise: end === "else" ? untilEnd(tokens) : [] };
    }
    case "range": {
      const [, key = "", value = "", pipeline] = /^(\$\w+), (\$\w+) := (.+)$/.exec(rest) ?? [];
      if (pipeline === undefined) throw new Error(`range ${rest} is not supported here`);
      return { is: "range", key, value, pipeline, parts: untilEnd(tokens) };
    }
    case "define":
      return { is: "define", name: JSON.parse(rest), parts: untilEnd(tokens) };
    default:
      throw new Error(`"${action}" is not supported here`);
  }
}

function untilEnd(tokens: Iterator<Token>): Part[] {
  const { parts, end } = parseParts(tokens);
  if (end !== "end") throw new Error("a block without an end");
  return parts;
}
