import { createClient, type JobSummary, type VideoToJson } from "video-to-json";
import { findConnection } from "../connection/find-connection.ts";
import type { Io } from "../io.ts";
import { openResults } from "../output/open-results.ts";
import type { OutputOptions } from "../output/output-options.ts";
import { jobTable } from "./job-table.ts";

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
