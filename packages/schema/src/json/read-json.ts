import { endOfString, isSpace, stringValue } from "./scan.ts";
import { JsonError, parseJson } from "./texts.ts";

/** A JSON value as it was written, with its key order, repeated keys and number literals. */
export type JsonNode =
  | { kind: "object"; members: JsonMember[] }
  | { kind: "array"; items: JsonNode[] }
  | { kind: "string"; value: string; raw: string }
  | { kind: "number"; raw: string }
  | { kind: "boolean"; value: boolean }
  | { kind: "null" };

/** A member of an object. `raw` is the key as it was written, with its quotes. */
export type JsonMember = { key: string; raw: string; value: JsonNode };

type Bounds = {
  /** The largest number of nested containers. */
  maxDepth: number;
  /** The largest number of values, including containers. */
  maxValues: number;
};

/**
 * Reads a JSON text without loss. It does not recurse, so deep texts cannot overflow the stack. Throws `JsonError` when
 * the text is not JSON or exceeds the bounds.
 */
export function readJson(text: string, bounds: Bounds): JsonNode {
  parseJson(text);
  return new Reader(text, bounds).read();
}

/** Reads a text that is known to be valid JSON, so it checks almost nothing. */
class Reader {
  readonly #text: string;
  readonly #bounds: Bounds;
  #at = 0;
  #values = 0;

  constructor(text: string, bounds: Bounds) {
    this.#text = text;
    this.#bounds = bounds;
  }

  read(): JsonNode {
    const open: Extract<JsonNode, { kind: "object" | "array" }>[] = [];
    for (;;) {
      const node = this.#start();
      const parent = open.at(-1);
      if (parent?.kind === "array") parent.items.push(node);
      else if (parent?.kind === "object") {
        const member = parent.members.at(-1);
        if (member) member.value = node;
      }
      if (node.kind === "object" || node.kind === "array") {
        open.push(node);
        if (open.length > this.#bounds.maxDepth) {
          throw new JsonError("depth", `it is nested more than ${this.#bounds.maxDepth} levels deep`);
        }
      }
      if (!this.#toNextValue(open)) return open[0] ?? node;
    }
  }

  /** Closes the containers that end here and moves to the next value. Returns false at the end of the text. */
  #toNextValue(open: Extract<JsonNode, { kind: "object" | "array" }>[]): boolean {
    for (;;) {
      const container = open.at(-1);
      if (!container) return false;
      const mark = this.#peek();
      if (mark === "}" || mark === "]") {
        this.#at++;
        if (open.length === 1) return false;
        open.pop();
        continue;
      }
      if (mark === ",") this.#at++;
      if (container.kind === "object") {
        this.#peek();
        const key = this.#string();
        container.members.push({ ...key, value: { kind: "null" } });
        this.#peek();
        this.#at++;
      }
      return true;
    }
  }

  #start(): JsonNode {
    if (++this.#values > this.#bounds.maxValues) {
      throw new JsonError("values", `it has more than ${this.#bounds.maxValues} values`);
    }
    switch (this.#peek()) {
      case "{":
        this.#at++;
        return { kind: "object", members: [] };
      case "[":
        this.#at++;
        return { kind: "array", items: [] };
      case '"': {
        const { key, raw } = this.#string();
        return { kind: "string", value: key, raw };
      }
      case "t":
        this.#at += 4;
        return { kind: "boolean", value: true };
      case "f":
        this.#at += 5;
        return { kind: "boolean", value: false };
      case "n":
        this.#at += 4;
        return { kind: "null" };
      default: {
        const from = this.#at;
        while (isNumberMark(this.#text.charCodeAt(this.#at))) this.#at++;
        return { kind: "number", raw: this.#text.slice(from, this.#at) };
      }
    }
  }

  #peek(): string {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++;
    return this.#text.charAt(this.#at);
  }

  #string(): { key: string; raw: string } {
    const from = this.#at;
    this.#at = endOfString(this.#text, from);
    const raw = this.#text.slice(from, this.#at);
    return { key: stringValue(raw), raw };
  }
}

function isNumberMark(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2b || code === 0x2e || (code | 0x20) === 0x65;
}
