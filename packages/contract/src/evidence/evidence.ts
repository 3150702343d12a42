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

/** The size of evidence, for each billed minute that has begun: bytes of JSON (docs/decisions/0001, "Evidence"). */
const bytesPerMinute = 64 * 1024;

/** Returns the largest size of the evidence of a job, in bytes of JSON. */
export function maxEvidenceBytes(billedSeconds: number): number {
  return Math.ceil(billedSeconds / 60) * bytesPerMinute;
}

/** The largest part of the evidence that the leaves take before anything is found about them. */
const shareOfLeaves = 0.75;

/**
 * Returns the evidence of an answer for which none could be gathered: every leaf is listed, unchecked.
 *
 * @param answer.maxBytes the largest size of the evidence. In an answer with more leaves, pointers of objects and lists
 *   replace those of the leaves inside.
 */
export function unavailableEvidence(answer: {
  jobId: string;
  data: unknown;
  durationMs: number;
  maxBytes: number;
}): Evidence {
  const leaves = leavesOf(answer.data, answer.maxBytes);
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
 *
 * @param maxBytes the largest size of the evidence. An array or object whose leaves do not fit is returned as one leaf.
 *   Leaves nearer to the root come first.
 */
export function leavesOf(value: unknown, maxBytes: number = Number.POSITIVE_INFINITY): Leaf[] {
  const root: Part = { pointer: "", value, members: [] };
  const open = [root];
  let left = shareOfLeaves * maxBytes;
  // This loop adds entries to the list and reads those entries too.
  for (const part of open) {
    const own = bytesOf(part.pointer);
    const found = membersWithin(part, left + own);
    if (!found) continue;
    left += own - found.bytes;
    part.members = found.members;
    for (const member of found.members) open.push(member);
  }
  const leaves: Leaf[] = [];
  const rest = [root];
  for (let next = rest.pop(); next; next = rest.pop()) {
    if (next.members.length === 0) leaves.push({ pointer: next.pointer, value: next.value });
    else for (const member of next.members.reverse()) rest.push(member);
  }
  return leaves;
}

/**
 * Returns whether a leaf says that something is missing, so that no moment of the video can show it: null, [] or {}.
 */
export function saysNothing({ value }: Leaf): boolean {
  return typeof value === "object" && (value === null || Object.keys(value).length === 0);
}

/** A part of an answer, and its members if it is opened. */
type Part = Leaf & { members: Part[] };

/** Returns the members of a part and the size of their evidence; undefined if they do not fit, or if it has none. */
function membersWithin({ pointer, value }: Leaf, maxBytes: number): { members: Part[]; bytes: number } | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const members: Part[] = [];
  let bytes = 0;
  for (const key of Object.keys(value)) {
    const at = childPointer(pointer, key);
    bytes += bytesOf(at);
    if (bytes > maxBytes) return undefined;
    members.push({ pointer: at, value: (value as Record<string, unknown>)[key], members: [] });
  }
  return members.length > 0 ? { members, bytes } : undefined;
}

const encoder = new TextEncoder();
const entryBytes = JSON.stringify(notChecked).length + 2;

/** Returns the size of an unchecked leaf in the evidence. */
function bytesOf(pointer: string): number {
  return encoder.encode(JSON.stringify(pointer)).length + entryBytes;
}

/** Returns whether a value is a JSON object: neither null nor a list. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a JSON pointer (RFC 6901) with one more step. */
export function childPointer(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
