import type { JobRecord } from "video-to-json";
import { clockText } from "../progress/amounts.ts";
import { printable } from "../terminal/printable.ts";

const headings = ["JOB", "STATUS", "AGE", "VIDEO", "BILLED", "MODEL"];

/** Jobs as lines of a table with headings. `now` is the moment that ages are told for. */
export function jobTable(jobs: readonly JobRecord[], now: Date): string[] {
  const rows = [headings, ...jobs.map((job) => rowOf(job, now))];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function rowOf({ id, status, error, created_at, video, billed_seconds, model }: JobRecord, now: Date): string[] {
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
