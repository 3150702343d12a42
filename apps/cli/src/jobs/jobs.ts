import { createClient, type JobSummary, type VideoToJson } from "video-to-json";
import { findConnection } from "../connection/find-connection.ts";
import type { Io } from "../io.ts";
import type { OutputOptions } from "../options.ts";
import { openResults } from "../output/open-results.ts";
import { clockText, printable, tableLines } from "../terminal.ts";

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

/** Which jobs to list. */
type Query = { limit: number; status?: JobSummary["status"] };

/** The options of `jobs`. */
export type JobsOptions = Query & OutputOptions & { json?: true; url?: string };

const maxPage = 100;

/** Prints the latest jobs: as a table on a terminal, else as one line of JSON (docs/decisions/0001, "Listing jobs"). */
export async function jobs(io: Io, { limit, status, url, ...options }: JobsOptions): Promise<void> {
  const { stdout, stderr } = io;
  const client = createClient(await findConnection(io, { url }));
  const results = await openResults(io, options, { indent: false });
  const found = await list(client, { limit, ...(status && { status }) });
  if (options.json || options.output || options.jq || !stdout.isTTY) {
    results.write(JSON.stringify(found));
    await results.finish();
    return;
  }
  if (found.length === 0) stderr.write(status ? `There are no jobs that are ${status}.\n` : "There are no jobs yet.\n");
  // A terminal without a window may report 0 columns.
  else for (const line of jobTable(found, new Date(), stdout.columns || undefined)) stdout.write(`${line}\n`);
}

/** Reads as many pages as `limit` needs. */
async function list(client: VideoToJson, { limit, status }: Query): Promise<JobSummary[]> {
  const found: JobSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.jobs({ limit: Math.min(maxPage, limit - found.length), status, cursor });
    found.push(...page.jobs);
    cursor = page.next_cursor ?? undefined;
  } while (cursor && found.length < limit);
  return found;
}

/** A step that makes a table narrower: cut the cells of a column down to a width, or leave the column out. */
type Narrowing = { column: string; to: number };

type Options = {
  /** The terminal's width in characters; undefined for no limit. */
  columns: number | undefined;
  /** Taken in this order until the table fits. `to: 0` leaves the column out. */
  narrowings: readonly Narrowing[];
};

/**
 * Formats rows, the first of which are headings, as lines of at most `columns` characters. Cut cells end with `…`. A table
 * that is too wide after every narrowing stays too wide.
 */
function fitTable(rows: readonly (readonly string[])[], { columns, narrowings }: Options): string[] {
  const headings = rows[0] ?? [];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const shown = () => widths.filter((width) => width > 0);
  const excess = () => shown().reduce((sum, width) => sum + width, 2 * (shown().length - 1)) - (columns ?? Infinity);
  for (const { column, to } of narrowings) {
    const index = headings.indexOf(column);
    const width = widths[index] ?? 0;
    if (excess() > 0 && width > to) widths[index] = to === 0 ? 0 : Math.max(to, width - excess());
  }
  return tableLines(
    rows.map((row) => row.flatMap((cell, column) => (widths[column] ? [cut(cell, widths[column])] : []))),
  );
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** Erases the contents of finished jobs, one after the other (docs/decisions/0001, "Listing jobs"). */
export async function deleteJobs(io: Io, ids: readonly string[], { url }: { url?: string }): Promise<void> {
  const client = createClient(await findConnection(io, { url }));
  for (const id of ids) {
    await client.deleteJob(id);
    io.stderr.write(`Job ${printable(id)} is deleted.\n`);
  }
}

/** The options of `job`. */
export type JobOptions = OutputOptions & { json?: true; evidence?: true; url?: string };

/**
 * Prints a job's record or its evidence as the service wrote it: over several lines on a terminal, else on one line.
 */
export async function job(io: Io, id: string, { url, evidence, ...options }: JobOptions): Promise<void> {
  const client = createClient(await findConnection(io, { url }));
  const results = await openResults(io, options, { indent: !options.json && io.stdout.isTTY === true });
  results.write((await (evidence ? client.evidence(id) : client.job(id))).json);
  await results.finish();
}
