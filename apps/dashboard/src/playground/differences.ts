import { childPointer, type JsonNode } from "../json/json-node.ts";
import { printJson } from "../json/print-json.ts";

/** A value that two answers do not share; undefined where an answer has none. */
export type Difference = {
  readonly pointer: string;
  readonly here: string | undefined;
  readonly there: string | undefined;
};

/** Returns the values that differ between two answers, in the order of the first one, and how many values there are. */
export function differencesOf(here: JsonNode, there: JsonNode): { values: number; differing: Difference[] } {
  const [own, other] = [leavesOf(here), leavesOf(there)];
  const pointers = new Set([...own.keys(), ...other.keys()]);
  const differing = [...pointers]
    .map((pointer) => ({ pointer, here: own.get(pointer), there: other.get(pointer) }))
    .filter((difference) => difference.here !== difference.there);
  return { values: pointers.size, differing };
}

/** Returns the values without parts, by their pointers. */
function leavesOf(root: JsonNode): Map<string, string> {
  const leaves = new Map<string, string>();
  const visit = (node: JsonNode, pointer: string) => {
    if (node.kind === "object" && node.members.length > 0) {
      for (const { key, value } of node.members) visit(value, childPointer(pointer, key));
    } else if (node.kind === "array" && node.items.length > 0) {
      for (const [index, item] of node.items.entries()) visit(item, childPointer(pointer, index));
    } else leaves.set(pointer, node.kind === "string" ? node.text : printJson(node, 0));
  };
  visit(root, "");
  return leaves;
}
