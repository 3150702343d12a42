import type { JsonNode, Member } from "./json-node.ts";

/** A text is not JSON. `at` is the first invalid character. */
export class JsonFault extends Error {
  readonly at: number;

  constructor(reason: string, at: number) {
    super(reason);
    this.at = at;
  }
}

const maxDepth = 500;
const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these in strings
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

/** Returns the value of a JSON text as it is written. Throws: `JsonFault`. */
export function parseJson(text: string): JsonNode {
  let at = 0;

  const skipSpace = () => {
    space.lastIndex = at;
    space.test(text);
    at = space.lastIndex;
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const fault = (reason: string) => new JsonFault(at >= text.length ? "The text ends too early." : reason, at);
  const take = (sign: string): boolean => {
    skipSpace();
    if (text[at] !== sign) return false;
    at += 1;
    return true;
  };

  const readString = (): string => {
    const literal = match(string);
    if (literal === undefined) throw fault('Expected a text in double quotes: "…".');
    return JSON.parse(literal) as string;
  };

  const readMember = (depth: number): Member => {
    skipSpace();
    const from = at;
    const key = readString();
    const keyPlace = { from, to: at };
    if (!take(":")) throw fault('Expected ":" after the key.');
    return { key, keyPlace, value: readValue(depth) };
  };

  const readList = <Item>(end: string, readItem: () => Item): Item[] => {
    at += 1;
    const items: Item[] = [];
    if (take(end)) return items;
    do {
      skipSpace();
      if (items.length > 0 && text[at] === end) throw fault(`Remove the comma before "${end}".`);
      items.push(readItem());
    } while (take(","));
    if (!take(end)) throw fault(`Expected "," or "${end}".`);
    return items;
  };

  const readValue = (depth: number): JsonNode => {
    if (depth > maxDepth) throw fault("The text is nested too deeply.");
    skipSpace();
    const from = at;
    switch (text[at]) {
      case "{": {
        const members = readList("}", () => readMember(depth + 1));
        return { kind: "object", members, from, to: at };
      }
      case "[": {
        const items = readList("]", () => readValue(depth + 1));
        return { kind: "array", items, from, to: at };
      }
      case '"':
        return { kind: "string", text: readString(), from, to: at };
    }
    for (const [word, value] of words) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return value === null ? { kind: "null", from, to: at } : { kind: "boolean", value, from, to: at };
      }
    }
    const literal = match(number);
    if (literal === undefined) throw fault("Expected a value. Texts are in double quotes.");
    return { kind: "number", literal, from, to: at };
  };

  const root = readValue(0);
  skipSpace();
  if (at < text.length) throw fault("Expected the end of the text.");
  return root;
}

const words = [
  ["true", true],
  ["false", false],
  ["null", null],
] as const;
