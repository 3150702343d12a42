import { createClient } from "video-to-json";
import { findConnection } from "../connection/find-connection.ts";
import type { Io } from "../io.ts";
import { printable } from "../terminal/printable.ts";

type Options = { url?: string };

/** Erases the contents of finished jobs, one after the other (docs/decisions/0001, "Listing jobs"). */
export async function deleteJobs(io: Io, ids: readonly string[], { url }: Options): Promise<void> {
  const client = createClient(await findConnection(io, { url }));
  for (const id of ids) {
    await client.deleteJob(id);
    io.stderr.write(`Job ${printable(id)} is deleted.\n`);
  }
}
