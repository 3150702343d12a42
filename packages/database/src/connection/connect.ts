import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { Withheld } from "./withheld.ts";

type Options = {
  max: number;
  applicationName: string;
  /** Longest a statement may run; 0 for no limit. */
  statementSeconds: number;
  /** Longest nothing may come while an answer is owed; if not given 15 s more than a statement may run. */
  silenceSeconds?: number;
  /** Longest a statement may wait for a lock. */
  lockSeconds: number;
  /** Keep a connection until `end`, however long it has nothing to do: it holds a lock. */
  lasting?: boolean;
  /** Longest a connection may have nothing to do before the server ends it; no limit if not given. */
  idleSeconds?: number;
};

const json = 114; // the type's number in Postgres

/** A connection pool that hands `json` over as text, both ways, and waits for nothing without end. */
export function connect(url: string, options: Options) {
  const client = postgres(url, {
    max: options.max,
    connect_timeout: 10,
    // The server ends a statement that runs for too long; whose answer does not come even then is on a dead connection.
    silence_timeout: options.silenceSeconds ?? (options.statementSeconds > 0 ? options.statementSeconds + 15 : null),
    // The driver's own pauses grow to twenty seconds, and a server that is back should not be kept waiting.
    backoff: (failures: number) => Math.min(1, 2 ** failures / 100) * (0.5 + Math.random() / 2),
    idle_timeout: options.lasting ? 0 : 60,
    ...(options.lasting && { max_lifetime: null }),
    fetch_types: false,
    onnotice: () => {},
    types: { json: { to: json, from: [json], serialize: jsonToDriver, parse: (text: string) => text } },
    connection: {
      application_name: options.applicationName,
      TimeZone: "UTC",
      statement_timeout: options.statementSeconds * 1000,
      lock_timeout: options.lockSeconds * 1000,
      idle_session_timeout: (options.idleSeconds ?? 0) * 1000,
      // No transaction of ours thinks. That of a process that stands still must end before others stop waiting for its locks.
      idle_in_transaction_session_timeout: 10_000,
      // A machine that vanished gives its locks back within a minute.
      tcp_keepalives_idle: 30,
      tcp_keepalives_interval: 10,
      tcp_keepalives_count: 3,
    },
  });
  const db = drizzle(client);
  client.options.serializers[json] = jsonToDriver; // drizzle put its own there
  return { client, db };
}

function jsonToDriver(value: unknown): string {
  return value instanceof Withheld ? value.reveal() : String(value);
}
