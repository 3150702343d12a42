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

/** Of values with the same confidence, failed checks come first, and unchecked ones before those that are confirmed. */
const order: readonly EvidenceVerdict[] = ["contradicted", "moved", "unconfirmed", "not_checked", "confirmed"];
/** An unchecked value is wrong more often than a confirmed one, and less often than one that failed a check. */
const unchecked = 0.5;

/** Returns the values that have evidence, the least certain ones first. */
export function rowsOf({ fields }: Evidence, answer: JsonNode): EvidenceRow[] {
  return Object.entries(fields)
    .map(([pointer, field]) => ({ pointer, name: nameOf(pointer), value: valueAt(answer, pointer), field }))
    .toSorted(({ field: one }, { field: other }) => {
      const byConfidence = (one.confidence ?? unchecked) - (other.confidence ?? unchecked);
      return byConfidence || order.indexOf(one.verdict) - order.indexOf(other.verdict);
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
