import type { JsonMember, JsonNode } from "./read-json.ts";

/**
 * Returns a value as compact JSON with its literals as they were read. It recurses: use it only for values that were read
 * with a bound on their depth.
 */
export function writeJson(node: JsonNode): string {
  switch (node.kind) {
    case "object":
      return `{${node.members.map(({ raw, value }) => `${wellFormed(raw)}:${writeJson(value)}`).join(",")}}`;
    case "array":
      return `[${node.items.map(writeJson).join(",")}]`;
    case "string":
      return wellFormed(node.raw);
    case "number":
      return node.raw;
    case "boolean":
      return String(node.value);
    case "null":
      return "null";
  }
}

/** Creates a string. */
export function stringNode(value: string): JsonNode {
  return { kind: "string", value, raw: JSON.stringify(value) };
}

/** Creates an object with its keys in the given order. */
export function objectNode(entries: readonly (readonly [string, JsonNode])[]): Extract<JsonNode, { kind: "object" }> {
  return { kind: "object", members: entries.map(([key, value]) => member(key, value)) };
}

function member(key: string, value: JsonNode): JsonMember {
  return { key, raw: JSON.stringify(key), value };
}

// UTF-8 cannot encode a lone surrogate. It can encode its escape.
function wellFormed(raw: string): string {
  return raw.isWellFormed() ? raw : JSON.stringify(JSON.parse(raw));
}
