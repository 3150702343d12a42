import type { ExtractTablesWithRelations } from "drizzle-orm";
import type { PgDatabase, PgTransaction } from "drizzle-orm/pg-core";
import type { PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import { connect } from "./connect.ts";

type NoRelations = Record<string, never>;

/** Where queries run: the pool, or a transaction (`Tx`), which is a `Db` too. */
export type Db = PgDatabase<PostgresJsQueryResultHKT, NoRelations>;

/** A transaction, for what must not be done outside one. */
export type Tx = PgTransaction<PostgresJsQueryResultHKT, NoRelations, ExtractTablesWithRelations<NoRelations>>;

/** An open pool. `ready` rejects while the server does not answer; `close` lets running queries end, for five seconds. */
export type Database = { readonly db: Db; readonly url: string; ready(): Promise<void>; close(): Promise<void> };

type Options = {
  /** Most connections of this process; they are opened as needed. */
  maxConnections: number;
  /** What the server's own views show for these connections. */
  applicationName: string;
};

/**
 * Opens a pool; nothing connects before the first query. A connection attempt ends after 10 s, a statement after 30 s, a
 * wait for a lock after 15 s, and a transaction left idle after 10 s. A connection that owes an answer and says nothing for
 * 45 s is replaced; what was asked on it rejects.
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
    url,
    ready: async () => {
      await client`select 1`;
    },
    close: () => client.end({ timeout: 5 }),
  };
}
