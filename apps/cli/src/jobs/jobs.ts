import { createClient, type JobSummary } from "video-to-json";
import { findConnection } from "../connection/find-connection.ts";
import type { Io } from "../io.ts";
import { writeJson } from "../terminal/write-json.ts";
import { jobTable } from "./job-table.ts";

type Options = { limit: number; status?: JobSummary["status"]; json?: true; url?: string };

/** Prints the latest jobs: as a table on a terminal, else as one line of JSON (docs/decisions/0001, "Listing jobs"). */
export async function jobs(io: Io, { limit, status, json, url }: Options): Promise<void> {
  const { jobs: found } = await createClient(await findConnection(io, { url })).jobs({ limit, status });
  const { stdout, stderr } = io;
  if (json || !stdout.isTTY) {
    writeJson(stdout, JSON.stringify(found));
    return;
  }
  if (found.length === 0) stderr.write(status ? `There are no jobs that are ${status}.\n` : "There are no jobs yet.\n");
  else for (const line of jobTable(found, new Date())) stdout.write(`${line}\n`);
}
