/** The place of a value in its text: `from` is its first character, `to` follows its last (UTF-16 units). */
type Place = { readonly from: number; readonly to: number };

/** A member of an object. `keyPlace` is the place of its key, including the quotes. */
export type Member = { readonly key: string; readonly keyPlace: Place; readonly value: JsonNode };

/**
 * A JSON value as it is written: members in order, numbers as literals. `JSON.parse` loses both: it moves keys such as
 * `"10"` to the front and turns `0.0` into `0`.
 */
export type JsonNode = Place &
  (
    | { readonly kind: "object"; readonly members: readonly Member[] }
    | { readonly kind: "array"; readonly items: readonly JsonNode[] }
    | { readonly kind: "string"; readonly text: string }
    | { readonly kind: "number"; readonly literal: string }
    | { readonly kind: "boolean"; readonly value: boolean }
    | { readonly kind: "null" }
  );

/** Returns the member of an object, or undefined. Of repeated keys, it takes the last one, as `JSON.parse` does. */
export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.kind === "object" ? node.members.findLast((member) => member.key === key)?.value : undefined;
}

/** Returns the pointer of a child: a key or an index (RFC 6901). */
export function childPointer(pointer: string, step: string | number): string {
  return `${pointer}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Returns the keys and indices of a pointer. */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the value that a pointer names, or undefined. */
export function nodeAt(root: JsonNode, pointer: string): JsonNode | undefined {
  return stepsOf(pointer).reduce<JsonNode | undefined>(
    (node, step) => (node?.kind === "array" ? node.items[Number(step)] : memberOf(node, step)),
    root,
  );
}
