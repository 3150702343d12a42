import { type JsonNode, readJson } from "./read-json.ts";

const maxDepth = 1000;

/**
 * A JSON text as a value that `JSON.stringify` writes out again as it was: keys in the order written, names like `"10"`
 * included, and numbers in their own literals. For values that others write; to compute with, use `JSON.parse`.
 * Of a repeated key the last wins. The text must be JSON, at most a thousand levels deep.
 */
export function verbatimValue(text: string): unknown {
  return toValue(readJson(text, { maxDepth, maxValues: Number.POSITIVE_INFINITY }));
}

function toValue(node: JsonNode): unknown {
  switch (node.kind) {
    case "object":
      return toObject(new Map(node.members.map(({ key, value }) => [key, toValue(value)])));
    case "array":
      return node.items.map(toValue);
    case "number":
      return String(Number(node.raw)) === node.raw ? Number(node.raw) : rawNumber(node.raw);
    case "string":
    case "boolean":
      return node.value;
    case "null":
      return null;
  }
}

/** An object puts names that look like indexes first, whatever order they were added in; who writes it asks for its keys. */
function toObject(members: Map<string, unknown>): object {
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, value] of members) object[key] = value;
  const keys = [...members.keys()];
  if (Object.keys(object).every((key, place) => key === keys[place])) return object;
  return new Proxy(object, { ownKeys: () => keys });
}

// Not in the compiler's library yet.
const { rawJSON: rawNumber } = JSON as unknown as { rawJSON(literal: string): unknown };
