import type { JobRow } from "@video-to-json/database";

/**
 * A job as the JSON text of `GET /v1/jobs/{id}`. Schema and data are spliced in as they are stored: parsing and
 * writing them again would lose key order and number literals.
 */
export function jobRecordText(row: JobRow): string {
  return object({
    id: JSON.stringify(row.id),
    status: JSON.stringify(row.status),
    created_at: JSON.stringify(row.createdAt),
    started_at: JSON.stringify(row.startedAt),
    finished_at: JSON.stringify(row.finishedAt),
    schema: row.schemaText,
    instructions: JSON.stringify(row.instructions),
    data: row.dataText ?? "null",
    video: videoText(row.durationMs),
    billed_seconds: JSON.stringify(row.billedSeconds),
    model: JSON.stringify(row.model),
    error: row.errorText ?? "null",
  });
}

/** A succeeded job as the JSON text of a successful `POST /v1/extract`: these four properties and no others. */
export function extractResponseText(row: JobRow): string {
  return object({
    id: JSON.stringify(row.id),
    data: row.dataText ?? "null",
    video: videoText(row.durationMs),
    billed_seconds: JSON.stringify(row.billedSeconds),
  });
}

function videoText(durationMs: number | null): string {
  return durationMs === null ? "null" : JSON.stringify({ duration_seconds: durationMs / 1000 });
}

function object(members: Record<string, string>): string {
  return `{${Object.entries(members)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(",")}}`;
}
