import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { readAddress } from "./read-address.ts";
import { prepareStatements, Withheld } from "./statements.ts";

type Options = {
  max: number;
  applicationName: string;
  /** How long a statement may run; 0 means no limit. */
  statementSeconds: number;
  /** How long the server may be silent while it owes an answer; 15 s more than the limit of a statement by default. */
  silenceSeconds?: number;
  /** How long a statement may wait for a lock. */
  lockSeconds: number;
  /** Keeps an idle connection until `end`, because it holds a lock. */
  lasting?: boolean;
};

const json = 114; // the type's number in PostgreSQL

/**
 * Opens a connection pool that reads and writes `json` columns as text, and that limits every wait.
 *
 * @throws Error if the address asks for an encryption that is not supported.
 */
export function connect(address: string, options: Options) {
  const { url, ssl } = readAddress(address);
  const client = postgres(url, {
    ...(ssl !== undefined && { ssl }),
    max: options.max,
    connect_timeout: 10,
    // The server ends a statement that runs too long. If no answer comes even then, the connection is dead.
    silence_timeout: options.silenceSeconds ?? (options.statementSeconds > 0 ? options.statementSeconds + 15 : null),
    // The driver's own pauses grow to 20 s, which would delay the recovery after a restart.
    backoff: (failures: number) => Math.min(1, 2 ** failures / 100) * (0.5 + Math.random() / 2),
    idle_timeout: options.lasting ? 0 : 60,
    ...(options.lasting && { max_lifetime: null }),
    fetch_types: false,
    onnotice: () => {},
    types: { json: { to: json, from: [json], serialize: jsonToDriver, parse: (text: string) => text } },
    connection: { application_name: options.applicationName },
    // A pooler refuses or drops these at the start of a connection.
    session: setAll({
      // The schema of the tables. The role may have another default, or a schema with its own name.
      search_path: "public",
      TimeZone: "UTC",
      // The styles in which we read dates and numbers. The database or the role may have other defaults.
      DateStyle: "ISO",
      extra_float_digits: 1,
      // Our locks protect sums and counts: a statement after a lock must see what was committed before it.
      default_transaction_isolation: "read committed",
      // PostgreSQL keeps a plan while it expects no better one. It makes a new one after a table was analysed, so a plan
      // from the time when a table was small does not last.
      plan_cache_mode: "auto",
      statement_timeout: options.statementSeconds * 1000,
      lock_timeout: options.lockSeconds * 1000,
      // Our transactions never wait for anything else. A frozen process must lose its locks before others run out of
      // time.
      idle_in_transaction_session_timeout: 10_000,
      // After 60 s, the server drops the locks of a machine that vanished.
      tcp_keepalives_idle: 30,
      tcp_keepalives_interval: 10,
      tcp_keepalives_count: 3,
    }),
  });
  prepareStatements(client);
  const db = drizzle(client);
  client.options.serializers[json] = jsonToDriver; // drizzle has replaced it
  return { client, db };
}

function setAll(settings: Readonly<Record<string, string | number>>): string {
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  return `select ${calls.join(", ")}`;
}

function jsonToDriver(value: unknown): string {
  return value instanceof Withheld ? value.reveal() : String(value);
}
