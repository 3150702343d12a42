import type { JsonMember, JsonNode } from "./read-json.ts";

/**
 * Writes a value as compact JSON with every literal as it was read. Recurses, so only for values whose depth was bounded
 * when they were read.
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

/** A string value of our own making. */
export function stringNode(value: string): JsonNode {
  return { kind: "string", value, raw: JSON.stringify(value) };
}

/** An object of our own making, in the order given. */
export function objectNode(entries: readonly (readonly [string, JsonNode])[]): Extract<JsonNode, { kind: "object" }> {
  return { kind: "object", members: entries.map(([key, value]) => member(key, value)) };
}

function member(key: string, value: JsonNode): JsonMember {
  return { key, raw: JSON.stringify(key), value };
}

// A lone surrogate cannot be written as UTF-8; its escape can.
function wellFormed(raw: string): string {
  return raw.isWellFormed() ? raw : JSON.stringify(JSON.parse(raw));
}
