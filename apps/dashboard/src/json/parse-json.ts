import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { JsonNode } from "./json-node.ts";

/** A text is not JSON. `at` is the first invalid character. */
export class JsonFault extends Error {
  readonly at: number;

  constructor(reason: string, at: number) {
    super(reason);
    this.at = at;
  }
}

/** Returns the value of a JSON text as it is written. Throws: `JsonFault`. */
export function parseJson(text: string): JsonNode {
  try {
    return readJson(text);
  } catch (error) {
    // The parser calls itself for each level.
    if (error instanceof RangeError) throw new JsonFault("The text is nested too deeply.", 0);
    throw error;
  }
}

function readJson(text: string): JsonNode {
  const faults: ParseError[] = [];
  const root = parseTree(text, faults, { disallowComments: true });
  const [fault] = faults.toSorted((a, b) => a.offset - b.offset);
  if (root && !fault) return nodeOf(root, text);
  const end = text.trimEnd().length;
  const at = Math.min(fault?.offset ?? end, end);
  if (at === end) throw new JsonFault("The text ends too early.", at);
  const next = text.charAt(at);
  if (/[\]}]/.test(next) && text.slice(0, at).trimEnd().endsWith(","))
    throw new JsonFault(`Remove the comma before "${next}".`, at);
  throw new JsonFault(
    reasons[fault ? printParseErrorCode(fault.error) : ""] ?? "Expected a value. Texts are in double quotes.",
    at,
  );
}

const reasons: Record<string, string> = {
  PropertyNameExpected: 'Expected a key in double quotes: "…".',
  ColonExpected: 'Expected ":" after the key.',
  CommaExpected: "Expected a comma.",
  EndOfFileExpected: "Expected the end of the text.",
};

function nodeOf({ type, offset, length, value, children = [] }: Node, text: string): JsonNode {
  const place = { from: offset, to: offset + length };
  switch (type) {
    case "object": {
      const members = children.map(({ children: [key, child] = [] }) => {
        if (!key || !child) throw new JsonFault('Expected ":" after the key.', offset);
        return {
          key: String(key.value),
          keyPlace: { from: key.offset, to: key.offset + key.length },
          value: nodeOf(child, text),
        };
      });
      return { ...place, kind: type, members };
    }
    case "array":
      return { ...place, kind: type, items: children.map((child) => nodeOf(child, text)) };
    case "string":
      return { ...place, kind: type, text: String(value) };
    case "number":
      return { ...place, kind: type, literal: text.slice(place.from, place.to) };
    case "boolean":
      return { ...place, kind: type, value: Boolean(value) };
    default:
      return { ...place, kind: "null" };
  }
}
