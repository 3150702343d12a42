import { type JsonNode, readJson } from "../json/read-json.ts";
import { JsonError, pointerSteps } from "../json/texts.ts";
import { writeJson } from "../json/write-json.ts";

const bounds = { maxDepth: 512, maxValues: 200_000 };

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
