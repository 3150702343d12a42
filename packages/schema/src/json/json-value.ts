import { canonicalNumber } from "./decimal.ts";
import type { JsonNode } from "./read-json.ts";

/** A JSON value as plain data. Its objects have no prototype. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object without a prototype, so that `__proto__`, `constructor` and `toString` are ordinary keys. */
export type JsonObject = { [key: string]: JsonValue };

/** A value, with the literals of the numbers that a double cannot represent. */
export type ExactValue = {
  readonly value: JsonValue;
  /** Returns the literal of the number at `key` of `container`, or of the value itself without a container. */
  literal(container: object | undefined, key: string | number): string;
};

/** Converts a tree to plain data. The last of repeated keys wins, as in `JSON.parse`. Recurses. */
export function toExactValue(root: JsonNode): ExactValue {
  const inexact = new Map<object | undefined, Map<string, string>>();
  const value = convert(root, undefined, "");
  return {
    value,
    literal(container, key) {
      const kept = inexact.get(container)?.get(String(key));
      if (kept !== undefined) return kept;
      const plain = container === undefined ? value : (container as JsonObject)[key];
      return String(plain);
    },
  };

  function convert(node: JsonNode, container: object | undefined, key: string): JsonValue {
    switch (node.kind) {
      case "object": {
        const object: JsonObject = Object.create(null);
        for (const member of node.members) {
          inexact.get(object)?.delete(member.key);
          object[member.key] = convert(member.value, object, member.key);
        }
        return object;
      }
      case "array": {
        const array: JsonValue[] = [];
        for (const [index, item] of node.items.entries()) array.push(convert(item, array, String(index)));
        return array;
      }
      case "number": {
        const number = Number(node.raw);
        if (!holds(number, node.raw)) {
          const literals = inexact.get(container) ?? new Map<string, string>();
          inexact.set(container, literals.set(key, node.raw));
        }
        return number;
      }
      case "string":
      case "boolean":
        return node.value;
      case "null":
        return null;
    }
  }
}

/**
 * Returns the canonical text of a value: equal values, and only they, have the same text. Numbers are compared exactly.
 */
export function canonicalText(exact: ExactValue, value: JsonValue, container: object | undefined, key: string): string {
  if (Array.isArray(value)) {
    return `[${value.map((item, index) => canonicalText(exact, item, value, String(index))).join(",")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.keys(value).sort();
    const texts = entries.map((name) => {
      const inner = value[name];
      return `${JSON.stringify(name)}:${canonicalText(exact, inner ?? null, value, name)}`;
    });
    return `{${texts.join(",")}}`;
  }
  if (typeof value === "number") return canonicalNumber(exact.literal(container, key));
  return JSON.stringify(value);
}

function holds(number: number, literal: string): boolean {
  if (literal.length < 15 && !/[eE]/.test(literal)) return true;
  return Number.isFinite(number) && canonicalNumber(String(number)) === canonicalNumber(literal);
}
