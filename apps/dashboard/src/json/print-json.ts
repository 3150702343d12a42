import type { JsonNode } from "./json-node.ts";

/** The literals that another language writes differently from JSON. */
export type Dialect = {
  readonly null: string;
  readonly true: string;
  readonly false: string;
  readonly number: (literal: string) => string;
  readonly key: (key: string) => string;
};

const json: Dialect = {
  null: "null",
  true: "true",
  false: "false",
  number: (literal) => literal,
  key: (key) => JSON.stringify(key),
};

/** Returns a value as text, with `indent` spaces for each level; with 0, on one line without spaces. */
export function printJson(node: JsonNode, indent: number, dialect: Dialect = json): string {
  const colon = indent === 0 ? ":" : ": ";
  const list = (open: string, close: string, items: readonly string[], level: number) => {
    if (items.length === 0) return open + close;
    if (indent === 0) return open + items.join(",") + close;
    const margin = " ".repeat(indent * level);
    return `${open}\n${items.map((item) => `${margin}${" ".repeat(indent)}${item}`).join(",\n")}\n${margin}${close}`;
  };
  const print = (value: JsonNode, level: number): string => {
    switch (value.kind) {
      case "object": {
        const members = value.members.map((member) => dialect.key(member.key) + colon + print(member.value, level + 1));
        return list("{", "}", members, level);
      }
      case "array": {
        const items = value.items.map((item) => print(item, level + 1));
        return list("[", "]", items, level);
      }
      case "string":
        return JSON.stringify(value.text);
      case "number":
        return dialect.number(value.literal);
      case "boolean":
        return value.value ? dialect.true : dialect.false;
      case "null":
        return dialect.null;
      default:
        return value satisfies never;
    }
  };
  return print(node, 0);
}
