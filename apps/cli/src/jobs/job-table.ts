import type { JobSummary } from "video-to-json";
import { clockText } from "../progress/amounts.ts";
import { printable } from "../terminal/printable.ts";
import { tableLines } from "../terminal/table.ts";

const headings = ["JOB", "STATUS", "AGE", "VIDEO", "BILLED", "MODEL"];

/** Formats jobs as the lines of a table with headings. Ages are relative to `now`. */
export function jobTable(jobs: readonly JobSummary[], now: Date): string[] {
  return tableLines([headings, ...jobs.map((job) => rowOf(job, now))]);
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
