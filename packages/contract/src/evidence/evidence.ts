import { childPointer } from "../json.ts";
import type { Evidence, FieldEvidence } from "../shapes/evidence.ts";

/** The header that asks for evidence, and its only value (docs/decisions/0001, "Evidence"). */
export const evidenceHeader = "Extract-Evidence";
export const evidenceValue = "fields";
/** The member of an MCP call's `_meta` that asks for evidence, with the same value. */
export const evidenceMeta = "video-to-json/evidence";

/** Returns the path of a job's evidence. */
export function evidencePath(jobId: string): string {
  return `/v1/jobs/${jobId}/evidence`;
}

/** The evidence of a leaf that nothing has checked. */
export const notChecked: FieldEvidence = {
  verdict: "not_checked",
  confidence: null,
  spans: [],
  checked: null,
  nearest_cut_ms: null,
};

/** Returns the evidence of an answer for which none could be gathered: every leaf is listed, unchecked. */
export function unavailableEvidence(answer: { jobId: string; data: unknown; durationMs: number }): Evidence {
  const leaves = leavesOf(answer.data);
  return {
    job_id: answer.jobId,
    status: "unavailable",
    duration_ms: answer.durationMs,
    fields: Object.fromEntries(leaves.filter((leaf) => !saysNothing(leaf)).map(({ pointer }) => [pointer, notChecked])),
    whole_video: leaves.filter(saysNothing).map(({ pointer }) => pointer),
    absent: [],
  };
}

/** A leaf of an answer: its JSON pointer (RFC 6901), and its value. */
export type Leaf = { pointer: string; value: unknown };

/**
 * Returns the leaves of a JSON value in order: strings, numbers, booleans and null, and every empty array and object.
 * Each occurs once in the evidence (docs/decisions/0001, "Evidence").
 */
export function leavesOf(value: unknown, pointer = ""): Leaf[] {
  const leaves: Leaf[] = [];
  const open: Leaf[] = [{ pointer, value }];
  for (let next = open.pop(); next; next = open.pop()) {
    const members = membersOf(next);
    if (members.length === 0) leaves.push(next);
    // An array may be longer than a list of arguments.
    else for (const member of members.reverse()) open.push(member);
  }
  return leaves;
}

/**
 * Returns whether a leaf says that something is missing, so that no moment of the video can show it: null, [] or {}.
 */
export function saysNothing({ value }: Leaf): boolean {
  return typeof value === "object";
}

function membersOf({ pointer, value }: Leaf): Leaf[] {
  if (typeof value !== "object" || value === null) return [];
  const entries = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : Object.entries(value);
  return entries.map(([key, member]) => ({ pointer: childPointer(pointer, key), value: member }));
}
