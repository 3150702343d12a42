import type { ProblemCode } from "@video-to-json/contract";
import type { ListedJob } from "@video-to-json/contract/dashboard/jobs";
import type { FoundJob } from "@video-to-json/database";

/** Returns a job of a list as the page reads it. */
export function toListedJob(row: FoundJob): ListedJob {
  return {
    id: row.id,
    status: row.status,
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    finished_at: row.finishedAt?.toISOString() ?? null,
    video: row.durationMs === null ? null : { duration_seconds: row.durationMs / 1000 },
    billed_seconds: row.billedSeconds,
    model: row.model,
    error: row.errorText === null ? null : { code: (JSON.parse(row.errorText) as { code: ProblemCode }).code },
    key: keyOf(row),
  };
}

/** Returns the key of a job; null for a job of the playground. A deleted key has no name any more. */
export function keyOf(row: { keyId: string | null; keyName: string | null; keyDisplay: string | null }) {
  return row.keyId === null ? null : { id: row.keyId, name: row.keyName ?? "", display: row.keyDisplay ?? "" };
}
