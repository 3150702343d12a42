import type { Detail } from "./requests.ts";
import type { JobRecord, JobSummary } from "./shapes/jobs.ts";
import { timestampText } from "./timestamp.ts";

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
  clipStartSeconds: number | null;
  clipEndSeconds: number | null;
  detail: Detail | null;
};

/** Returns the clip of a job in the form of the request; null for a job about its whole video. */
export function clipMember(row: Pick<JobRecordRow, "clipStartSeconds" | "clipEndSeconds">): JobRecord["clip"] {
  const { clipStartSeconds: start, clipEndSeconds: end } = row;
  if (start === null && end === null) return null;
  return { start: timestampText((start ?? 0) * 1000), ...(end === null ? {} : { end: timestampText(end * 1000) }) };
}

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
    clip: JSON.stringify(clipMember(row)),
    detail: JSON.stringify(row.detail ?? "standard"),
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

/** The stages of a running job, in order. They are published for people to watch; no code decides by them. */
export const jobStages = ["obtaining", "probing", "uploading", "analysing", "settling"] as const;

/** A stage of a running job. */
export type JobStage = (typeof jobStages)[number];

/** A progress event of a job. `attempt` is the number of the attempt (1, 2, 3) while analysing. */
export type JobProgress = { stage: JobStage; attempt?: number };

/** The states of a job (docs/decisions/0001, "Job"). `succeeded` and `failed` are final. */
export const jobStatuses = ["queued", "running", "succeeded", "failed"] as const;

/** A state of a job. */
export type JobStatus = (typeof jobStatuses)[number];

/** Returns whether a value, such as a parameter of a caller, is the status of a job. */
export function isJobStatus(value: unknown): value is JobStatus {
  return jobStatuses.some((status) => status === value);
}
