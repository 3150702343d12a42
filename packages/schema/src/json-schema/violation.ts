import type { JsonMember, JsonNode } from "../json/read-json.ts";
import { childPointer, pointerSteps, shorten, wellFormed } from "../json/texts.ts";

/** One way in which an answer does not conform. */
export type Violation = {
  /** A JSON pointer into the answer. */
  at: string;
  reason: string;
  /** The reason without values of the answer, if `reason` quotes one. */
  reasonForCaller?: string;
};

/** The largest length of a violation as text, in characters. */
const maxViolationLength = 300;

/** Returns a violation as the model reads it: `<JSON pointer>: <reason>`. */
export function violationText({ at, reason }: Violation): string {
  return shorten(wellFormed(`${at}: ${reason}`), maxViolationLength);
}

/**
 * Returns the violations as the caller reads them, without repetitions. They do not quote the model: a key of the
 * answer that the schema does not name becomes `*` (docs/decisions/0001, "Failed work").
 *
 * @param names the keys that the schema names.
 */
export function violationsForCaller(
  violations: readonly Violation[],
  names: ReadonlySet<string>,
  answer: JsonNode,
): string[] {
  const texts = violations.map(({ at, reason, reasonForCaller = reason }) =>
    violationText({ at: maskPointer(at, names, answer), reason: reasonForCaller }),
  );
  return [...new Set(texts)];
}

const namingKeywords = ["properties", "dependentRequired", "dependentSchemas", "dependencies"];

/** Returns the keys that a JSON Schema names: its properties, and the texts in lists and in `const`. */
export function namesIn(schema: JsonNode): Set<string> {
  const names = new Set<string>();
  const open = [schema];
  for (let node = open.pop(); node; node = open.pop()) {
    const inner = node.kind === "array" ? node.items : node.kind === "object" ? node.members.map(namesOfMember) : [];
    for (const value of inner) {
      if (node.kind === "array" && value.kind === "string") names.add(value.value);
      open.push(value);
    }
  }
  return names;

  function namesOfMember({ key, value }: JsonMember): JsonNode {
    if (key === "const" && value.kind === "string") names.add(value.value);
    if (namingKeywords.includes(key) && value.kind === "object")
      for (const inner of value.members) names.add(inner.key);
    return value;
  }
}

/** Returns a pointer into an answer with `*` for each key that the schema does not name. */
export function maskPointer(pointer: string, names: ReadonlySet<string>, answer: JsonNode): string {
  let masked = "";
  let node: JsonNode | undefined = answer;
  for (const step of pointerSteps(pointer) ?? ["*"]) {
    if (node?.kind === "array") {
      masked = childPointer(masked, step);
      node = node.items[Number(step)];
    } else {
      masked = childPointer(masked, names.has(step) ? step : "*");
      node = node?.kind === "object" ? node.members.findLast(({ key }) => key === step)?.value : undefined;
    }
  }
  return masked;
}
