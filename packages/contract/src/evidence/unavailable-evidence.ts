import type { Evidence, FieldEvidence } from "../shapes/evidence.ts";
import { leavesOf, saysNothing } from "./leaves.ts";

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
