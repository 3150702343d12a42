/** The header that asks for evidence, and its only value (docs/decisions/0001, "Evidence"). */
export const evidenceHeader = "Extract-Evidence";
export const evidenceValue = "fields";
/** The member of an MCP call's `_meta` that asks for evidence, with the same value. */
export const evidenceMeta = "video-to-json/evidence";

/** Returns the path of a job's evidence. */
export function evidencePath(jobId: string): string {
  return `/v1/jobs/${jobId}/evidence`;
}
