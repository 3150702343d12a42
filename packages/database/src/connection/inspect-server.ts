import { randomUUID } from "node:crypto";
import { withTimeLimit } from "@video-to-json/runtime/timing";
import { sql } from "drizzle-orm";
import type { Sql } from "postgres";
import journal from "../../migrations/meta/_journal.json" with { type: "json" };
import type { Db } from "./open-database.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

/** What a process has to know about its server. */
export type ServerFacts = {
  /** By how many milliseconds the clock of this process is ahead of the server's. */
  clockAheadMs: number;
  /** When the server started, in milliseconds since 1970 by its own clock. */
  startedAtMs: number;
};

/** The server refuses to write, as a standby does: it was the primary, or it becomes one. It serves reads. */
export class DatabaseReadOnly extends Error {
  readonly code = "25006"; // read_only_sql_transaction
  constructor() {
    super("PostgreSQL is read-only.");
    this.name = "DatabaseReadOnly";
  }
}

/** The server is behind a pooler that breaks what a connection promises. */
class UnsuitablePooler extends Error {
  constructor(fault: string) {
    super(
      `The address of PostgreSQL leads to a pooler ${fault}. Name PostgreSQL itself, or a pooler in session mode, such as PgBouncer.`,
    );
    this.name = "UnsuitablePooler";
  }
}

const maxAnswerMs = 2000;
/** How many migrations this build needs. A newer database is fine: one release back always works. */
const neededMigrations = journal.entries.length;

/**
 * Asks the server for its clock and its start. A connection that does not answer is closed, so that the next call opens
 * another one.
 *
 * @throws the error of the driver, DatabaseReadOnly, or an error that says that migrations are missing.
 */
export async function inspectServer(probe: Sql): Promise<ServerFacts> {
  const asked = Date.now();
  const asking = probe<{ now: number; started: number; readOnly: boolean; migrations: number }[]>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now,
      extract(epoch from pg_postmaster_start_time())::float8 * 1000 as started,
      current_setting('transaction_read_only') = 'on' as "readOnly",
      (select count(*)::int from drizzle.__drizzle_migrations) as migrations`;
  const [row] = await withTimeLimit(maxAnswerMs, "PostgreSQL", asking).catch((error) => {
    for (const { destroy } of probe.silences()) destroy();
    throw isWithoutTables(error) ? missingMigrations(0) : error;
  });
  if (!row || row.migrations < neededMigrations) throw missingMigrations(row?.migrations ?? 0);
  if (row.readOnly) throw new DatabaseReadOnly();
  return { clockAheadMs: (asked + Date.now()) / 2 - row.now, startedAtMs: row.started };
}

function missingMigrations(applied: number): Error {
  return new Error(
    `The database needs migration ${neededMigrations} and has ${applied}. Run \`video-to-json-admin migrate\`.`,
  );
}

/** Returns whether the error says that the table of migrations, or its schema, does not exist. */
function isWithoutTables(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["42P01", "3F000"].includes(String(error.code));
}

/**
 * Warns of settings of the server that may lose or damage committed data in a crash, such as `fsync`. Money and answers are
 * only as safe as these settings. Never rejects.
 */
export async function warnOfLossySettings(db: Db, log: { warn(fields: object, message: string): void }): Promise<void> {
  const ask = () =>
    db.execute<{ name: string }>(sql`
      select name from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by name`);
  const found = await retryWhileUnavailable(ask).catch((err) => log.warn({ err }, "settings of PostgreSQL not read"));
  const settings = found?.map(({ name }) => name) ?? [];
  if (settings.length > 0) log.warn({ settings }, "PostgreSQL may lose commits in a crash: turned off");
}

/**
 * Rejects with UnsuitablePooler if the connections of two pools are the same session for the server: in transaction mode a
 * pooler keeps few sessions and gives the one that was used last to the next client. Also rejects if two statements after two
 * writes are in one transaction: pgpool-II leaves it open, and drops it when the connection ends.
 *
 * @param probe a pool of one connection.
 */
export async function checkSessions(pool: Sql, probe: Sql): Promise<void> {
  const mark = randomUUID();
  await pool`select set_config('video_to_json.session', ${mark}, false)`;
  const [row] = await probe<{ mark: string | null }[]>`select current_setting('video_to_json.session', true) as mark`;
  if (row?.mark === mark) {
    throw new UnsuitablePooler("in transaction mode, which loses settings and locks of a connection");
  }
  // The driver sends several statements at once on a busy connection.
  const write = () => probe`update maintenance set fence = fence where false`;
  await Promise.all([write(), write()]);
  const [before] = await probe<{ id: string }[]>`select txid_current()::text as id`;
  const [after] = await probe<{ id: string }[]>`select txid_current()::text as id`;
  if (before?.id === after?.id) {
    throw new UnsuitablePooler(
      "that does not commit each statement, as pgpool-II does, so that stored answers would be lost",
    );
  }
}
