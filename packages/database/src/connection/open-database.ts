import type { ExtractTablesWithRelations } from "drizzle-orm";
import type { PgDatabase, PgTransaction } from "drizzle-orm/pg-core";
import type { PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import { connect } from "./connect.ts";

type NoRelations = Record<string, never>;

/** Runs queries: a pool, or a transaction (`Tx`). */
export type Db = PgDatabase<PostgresJsQueryResultHKT, NoRelations>;

/** A transaction. Functions that take it are not safe outside one. */
export type Tx = PgTransaction<PostgresJsQueryResultHKT, NoRelations, ExtractTablesWithRelations<NoRelations>>;

export type Database = {
  readonly db: Db;
  /** Resolves when the server answers; rejects otherwise. */
  ready(): Promise<void>;
  /** Closes the pool. Running queries have three seconds to finish. */
  close(): Promise<void>;
};

type Options = {
  /** The maximum number of connections of this process. The pool opens them when it needs them. */
  maxConnections: number;
  /** The name of these connections in PostgreSQL's views. */
  applicationName: string;
};

/**
 * Opens a pool. It connects with the first query. Limits: 10 s to connect, 30 s for a statement, 15 s for a lock, 10 s
 * idle in a transaction. A connection that owes an answer and is silent for 45 s is replaced, and its queries reject.
 */
export function openDatabase(url: string, options: Options): Database {
  const { client, db } = connect(url, {
    max: options.maxConnections,
    applicationName: options.applicationName,
    statementSeconds: 30,
    lockSeconds: 15,
  });
  return {
    db,
    ready: async () => {
      await client`select 1`;
    },
    close: () => client.end({ timeout: 3 }),
  };
}
