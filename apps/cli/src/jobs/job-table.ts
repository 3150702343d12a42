import type { JobSummary } from "video-to-json";
import { clockText } from "../progress/amounts.ts";
import { fitTable } from "../terminal/fit-table.ts";
import { printable } from "../terminal/printable.ts";

const headings = ["JOB", "STATUS", "AGE", "VIDEO", "BILLED", "MODEL"];
// An id is never cut, because `job` and `jobs delete` need the whole of it.
const narrowings = [
  { column: "MODEL", to: 8 },
  { column: "MODEL", to: 0 },
  { column: "STATUS", to: 16 },
  { column: "BILLED", to: 0 },
  { column: "VIDEO", to: 0 },
  { column: "AGE", to: 0 },
  { column: "STATUS", to: 4 },
  { column: "STATUS", to: 0 },
];

/**
 * Formats jobs as the lines of a table with headings. Ages are relative to `now`. With `columns`, lines are no wider than
 * that, unless an id is.
 */
export function jobTable(jobs: readonly JobSummary[], now: Date, columns?: number): string[] {
  return fitTable([headings, ...jobs.map((job) => rowOf(job, now))], { columns, narrowings });
}

function rowOf({ id, status, error, created_at, video, billed_seconds, model }: JobSummary, now: Date): string[] {
  return [
    id,
    error ? `${status} (${error.code})` : status,
    ageText(now.getTime() - Date.parse(created_at)),
    video ? clockText(video.duration_seconds * 1000) : "-",
    billed_seconds > 0 ? `${billed_seconds} s` : "-",
    model ?? "-",
  ].map(printable);
}

function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}
