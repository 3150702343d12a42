import type { JobStatus } from "./job-progress.ts";
import type { JobSummary } from "./shapes/job-list.ts";
import type { JobRecord } from "./shapes/job-record.ts";

/** The columns of a job's row that its record is made of. The names that end in `Text` are JSON texts. */
type JobRecordRow = {
  id: string;
  status: JobStatus;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  schemaText: string;
  instructions: string | null;
  dataText: string | null;
  durationMs: number | null;
  billedSeconds: number;
  model: string | null;
  errorText: string | null;
};

/**
 * Returns the members of a job record as JSON texts (docs/decisions/0001, "Job"). Schema, data and error stay as they
 * are stored: parsing and serialising them would lose key order and number literals.
 */
export function jobRecordMembers(row: JobRecordRow): Record<keyof JobRecord, string> {
  return {
    id: JSON.stringify(row.id),
    status: JSON.stringify(row.status),
    created_at: JSON.stringify(row.createdAt),
    started_at: JSON.stringify(row.startedAt),
    finished_at: JSON.stringify(row.finishedAt),
    schema: row.schemaText,
    instructions: JSON.stringify(row.instructions),
    data: row.dataText ?? "null",
    video: JSON.stringify(row.durationMs === null ? null : { duration_seconds: row.durationMs / 1000 }),
    billed_seconds: JSON.stringify(row.billedSeconds),
    model: JSON.stringify(row.model),
    error: row.errorText ?? "null",
  };
}

/** Returns the members of a job in a list as JSON texts (docs/decisions/0001, "Listing jobs"). */
export function jobSummaryMembers(
  row: Omit<JobRecordRow, "schemaText" | "instructions" | "dataText">,
): Record<keyof JobSummary, string> {
  const { error, schema, instructions, data, ...members } = jobRecordMembers({
    ...row,
    schemaText: "",
    instructions: null,
    dataText: null,
  });
  const { code } = (JSON.parse(error) ?? {}) as { code?: string };
  return { ...members, error: JSON.stringify(code === undefined ? null : { code }) };
}

/** Returns a JSON object as text, made of members that are JSON texts already. */
export function jsonObjectText(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(",")}}`;
}
