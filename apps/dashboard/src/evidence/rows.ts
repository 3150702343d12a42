import type { Evidence, EvidenceVerdict, FieldEvidence } from "@video-to-json/contract/shapes/evidence";
import { type JsonNode, nodeAt, stepsOf } from "../json/json-node.ts";
import { printJson } from "../json/print-json.ts";

/** A value of the answer with its evidence. */
export type EvidenceRow = {
  readonly pointer: string;
  /** The pointer in readable form: `goals › 1 › at`. */
  readonly name: string;
  readonly value: string;
  readonly field: FieldEvidence;
};

/** Failed checks come first, unchecked values last. */
const order: readonly EvidenceVerdict[] = ["contradicted", "moved", "unconfirmed", "confirmed", "not_checked"];

/** Returns the values that have evidence: failed checks first, of each verdict the least certain ones first. */
export function rowsOf({ fields }: Evidence, answer: JsonNode): EvidenceRow[] {
  return Object.entries(fields)
    .map(([pointer, field]) => ({ pointer, name: nameOf(pointer), value: valueAt(answer, pointer), field }))
    .toSorted(({ field: one }, { field: other }) => {
      const byVerdict = order.indexOf(one.verdict) - order.indexOf(other.verdict);
      return byVerdict || (one.confidence ?? 0.5) - (other.confidence ?? 0.5);
    });
}

/** Returns pointers without evidence in readable form. */
export function namesOf(pointers: readonly string[]): string[] {
  return pointers.map(nameOf);
}

function nameOf(pointer: string): string {
  // People count from one.
  const steps = stepsOf(pointer).map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : step));
  return steps.join(" › ") || "answer";
}

function valueAt(answer: JsonNode, pointer: string): string {
  const node = nodeAt(answer, pointer);
  if (node === undefined) return "";
  return shownText(node);
}

/** Returns a value as people read it: a text without its quotes. */
export function shownText(node: JsonNode): string {
  return node.kind === "string" ? node.text : printJson(node, 0);
}
