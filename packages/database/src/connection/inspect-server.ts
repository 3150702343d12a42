import { withTimeLimit } from "@video-to-json/runtime/timing";
import type { Sql } from "postgres";

/** What a process has to know about its server. */
export type ServerFacts = {
  /** By how many milliseconds the clock of this process is ahead of the server's. */
  clockAheadMs: number;
  /** When the server started, in milliseconds since 1970 by its own clock. */
  startedAtMs: number;
};

const maxAnswerMs = 2000;

/**
 * Asks the server for its clock and its start. A connection that does not answer is closed, so that the next call opens
 * another one.
 *
 * @throws the error of the driver, or an error that says that the server is read-only.
 */
export async function inspectServer(probe: Sql): Promise<ServerFacts> {
  const asked = Date.now();
  const asking = probe<{ now: number; started: number; readOnly: boolean }[]>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now,
      extract(epoch from pg_postmaster_start_time())::float8 * 1000 as started,
      current_setting('transaction_read_only') = 'on' as "readOnly"`;
  const [row] = await withTimeLimit(maxAnswerMs, "PostgreSQL", asking).catch((error) => {
    for (const { destroy } of probe.silences()) destroy();
    throw error;
  });
  if (!row || row.readOnly) throw new Error("PostgreSQL is read-only.");
  return { clockAheadMs: (asked + Date.now()) / 2 - row.now, startedAtMs: row.started };
}
