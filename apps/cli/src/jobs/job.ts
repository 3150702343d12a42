import { createClient } from "video-to-json";
import { findConnection } from "../connection/find-connection.ts";
import type { Io } from "../io.ts";
import { oneLine, prettyJson } from "../json/pretty-json.ts";
import { writeJson } from "../terminal/write-json.ts";

type Options = { json?: true; url?: string };

/** Prints a job's record as the service wrote it: over several lines on a terminal, else on one line. */
export async function job(io: Io, id: string, { json, url }: Options): Promise<void> {
  const record = await createClient(await findConnection(io, { url })).job(id);
  const { stdout } = io;
  writeJson(stdout, json || !stdout.isTTY ? oneLine(record.json) : prettyJson(record.json));
}
