import { type JsonNode, readJson } from "../json/read-json.ts";
import { childPointer, JsonError, pointerSteps } from "../json/texts.ts";
import { writeJson } from "../json/write-json.ts";

const bounds = { maxDepth: 512, maxValues: 200_000 };

/**
 * Returns a JSON text with some values replaced and everything else unchanged.
 *
 * @param literals JSON literals of strings and numbers, by the JSON pointer of the value that they replace.
 */
export function replaceValues(text: string, literals: ReadonlyMap<string, string>): string {
  return literals.size === 0 ? text : writeJson(replaced(readJson(text, bounds), "", literals));
}

function replaced(node: JsonNode, pointer: string, literals: ReadonlyMap<string, string>): JsonNode {
  const literal = literals.get(pointer);
  if (literal !== undefined) return readJson(literal, bounds);
  if (node.kind === "array") {
    const items = node.items.map((item, index) => replaced(item, childPointer(pointer, index), literals));
    return { kind: "array", items };
  }
  if (node.kind !== "object") return node;
  const members = node.members.map((member) => {
    return { ...member, value: replaced(member.value, childPointer(pointer, member.key), literals) };
  });
  return { kind: "object", members };
}

/**
 * Returns the items of the list at a JSON pointer, each as compact JSON. Empty if there is no list, or if the text is
 * not JSON.
 */
export function listItems(text: string, pointer: string): string[] {
  try {
    let node: JsonNode | undefined = readJson(text, bounds);
    for (const step of pointerSteps(pointer) ?? []) {
      node = node?.kind === "object" ? node.members.find(({ key }) => key === step)?.value : undefined;
    }
    return node?.kind === "array" ? node.items.map(writeJson) : [];
  } catch (error) {
    if (error instanceof JsonError) return [];
    throw error;
  }
}
