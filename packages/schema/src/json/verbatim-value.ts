import { type JsonNode, readJson } from "./read-json.ts";

const maxDepth = 1000;

/**
 * Returns a value that `JSON.stringify` writes exactly like the given JSON text: keys in their order, including names
 * like `"10"`, and numbers as their literals. Use it for values that a library serialises; to compute, use `JSON.parse`.
 * The last of repeated keys wins. Throws `JsonError` when the text is not JSON or has more than a thousand levels.
 *
 * @example JSON.stringify(verbatimValue('{"10":1.0,"2":1e400}')) === '{"10":1.0,"2":1e400}'
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

/** A JavaScript object lists names that look like indexes first. The proxy lists them in the order written. */
function toObject(members: Map<string, unknown>): object {
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, value] of members) object[key] = value;
  const keys = [...members.keys()];
  if (Object.keys(object).every((key, place) => key === keys[place])) return object;
  return new Proxy(object, { ownKeys: () => keys });
}

// The compiler's library does not declare it yet.
const { rawJSON: rawNumber } = JSON as unknown as { rawJSON(literal: string): unknown };
