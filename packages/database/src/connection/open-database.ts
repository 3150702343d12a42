import type { ExtractTablesWithRelations } from "drizzle-orm";
import type { PgDatabase, PgTransaction } from "drizzle-orm/pg-core";
import type { PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import { connect } from "./connect.ts";
import { checkSessions, DatabaseReadOnly, inspectServer, type ServerFacts } from "./inspect-server.ts";
import { readServiceLoad, type ServiceLoad } from "./read-service-load.ts";
import { replaceDeadConnections } from "./replace-dead-connections.ts";

type NoRelations = Record<string, never>;

/** Runs queries: a pool, or a transaction (`Tx`). */
export type Db = PgDatabase<PostgresJsQueryResultHKT, NoRelations>;

/** A transaction. Functions that take it are not safe outside one. */
export type Tx = PgTransaction<PostgresJsQueryResultHKT, NoRelations, ExtractTablesWithRelations<NoRelations>>;

export type Database = {
  readonly db: Db;
  /**
   * Sends a query on a connection of its own, so that a pool that waits for locks is not mistaken for a dead server.
   * Rejects if the server does not answer or cannot write, or if a pooler in transaction mode stands between. May hang.
   */
  inspect(): Promise<ServerFacts>;
  /** Asks the server on the same connection how busy the service is. One cheap query. May hang. */
  readServiceLoad(): Promise<ServiceLoad>;
  /** Returns how many connections of the pool wait for an answer, and how many more the pool may use. */
  connections(): { busy: number; free: number };
  /** Closes the pool. Running queries have three seconds to finish. */
  close(): Promise<void>;
};

type Options = {
  /**
   * The maximum number of connections of this process. The pool opens them when it needs them, and one more for probes.
   */
  maxConnections: number;
  /** The name of these connections in PostgreSQL's views. */
  applicationName: string;
  /** Called with the number of silent connections that were just replaced. */
  onReplaced?(count: number): void;
};

/**
 * Opens a pool. It connects with the first query. Limits: 10 s to connect, 30 s for a statement, 15 s for a lock, 10 s
 * idle in a transaction. A connection whose statement the server does not know is replaced within seconds, and its
 * queries reject. After 45 s of silence, this happens in any case. A connection that was refused a write, because its
 * server is a standby, is replaced too.
 */
export function openDatabase(url: string, options: Options): Database {
  const { applicationName } = options;
  const limits = { applicationName, statementSeconds: 30, lockSeconds: 15 };
  const { client, db } = connect(url, { ...limits, max: options.maxConnections });
  const { client: probe } = connect(url, { ...limits, max: 1 });
  const endWatch = replaceDeadConnections(client, probe, { onReplaced: options.onReplaced });
  let wasReadOnly = false;
  let haveOwnSessions = false;
  let serverStartedAtMs: number | undefined;

  /** The name of the server may lead to another one now: new connections find out. */
  async function inspect(): Promise<ServerFacts> {
    try {
      const facts = await inspectServer(probe);
      if (!haveOwnSessions) await checkSessions(client, probe);
      haveOwnSessions = true;
      // The open connections lead to the old server, and read old data.
      if (wasReadOnly || (serverStartedAtMs ?? facts.startedAtMs) !== facts.startedAtMs) client.renew();
      wasReadOnly = false;
      serverStartedAtMs = facts.startedAtMs;
      return facts;
    } catch (error) {
      if (error instanceof DatabaseReadOnly) {
        wasReadOnly = true;
        probe.closeIdle();
      }
      throw error;
    }
  }

  return {
    db,
    inspect,
    readServiceLoad: () => readServiceLoad(probe),
    connections() {
      const busy = Math.min(client.silences().length, options.maxConnections);
      return { busy, free: options.maxConnections - busy };
    },
    async close() {
      endWatch();
      await Promise.all([client.end({ timeout: 3 }), probe.end({ timeout: 0 })]);
    },
  };
}
