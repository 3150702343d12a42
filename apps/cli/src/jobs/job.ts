import { createClient } from "video-to-json";
import { findConnection } from "../connection/find-connection.ts";
import type { Io } from "../io.ts";
import { openResults } from "../output/open-results.ts";
import type { OutputOptions } from "../output/output-options.ts";

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
