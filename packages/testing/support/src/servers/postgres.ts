import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import postgres from "postgres";
import { findCommand, postgresDirectories } from "../processes/find-command.ts";
import type { ContainerServer } from "./containers.ts";
import { type LocalServer, type Server, type ServerOptions, startServer, unprivilegedUser } from "./start-server.ts";

/** Starts a Postgres and waits until it answers. It is empty unless its `dataDir` contains data. */
export function startPostgres(options: ServerOptions = {}): Promise<Server> {
  return startServer({ local: localPostgres(), container: containerPostgres }, options);
}

// The data need not survive a crash of the machine. A commit must survive a crash of the server.
const fastSettings = ["fsync=off", "full_page_writes=off", "autovacuum=off"];

/** Starts a standby of a Postgres that runs from local binaries, and waits until it answers. */
export function startStandby(primaryUrl: string): Promise<Server> {
  return startServer({ local: localPostgres(primaryUrl), container: containerPostgres }, {});
}

/**
 * Runs Postgres from local binaries, on 127.0.0.1 without a password; with `primaryUrl`, as its standby. Undefined when there
 * are no binaries.
 */
function localPostgres(primaryUrl?: string): LocalServer | undefined {
  const server = findCommand("postgres", postgresDirectories());
  if (!server) return undefined;
  const user = unprivilegedUser();
  return {
    name: "postgres",
    user,
    // "Fast shutdown": aborts running transactions and leaves consistent data.
    stopSignal: "SIGINT",
    urlAt: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
    probe: postgresAnswers,
    async prepare(dataDir) {
      const data = join(dataDir, "data");
      if (existsSync(join(data, "global", "pg_control"))) return;
      rmSync(data, { recursive: true, force: true });
      if (primaryUrl) {
        const copying = ["-D", data, "-d", primaryUrl, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"];
        await promisify(execFile)(findCommand("pg_basebackup", postgresDirectories()) ?? "", copying, {
          ...user,
          cwd: dataDir,
        });
        return;
      }
      const args = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
      await promisify(execFile)(join(dirname(server), "initdb"), args, { ...user, cwd: dataDir });
    },
    command(dataDir, port, durable) {
      const settings = [
        `port=${port}`,
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        "max_connections=300",
        "timezone=UTC",
        ...(durable ? [] : fastSettings),
      ];
      const args = ["-D", join(dataDir, "data"), ...settings.flatMap((setting) => ["-c", setting])];
      return { command: server, args };
    },
  };
}

const containerPostgres: ContainerServer = {
  name: "postgres",
  image: "postgres:17",
  port: 5432,
  volume: "/var/lib/postgresql/data",
  readyLine: /database system is ready to accept connections/,
  environment: (password) => ({ POSTGRES_PASSWORD: password }),
  command: () => ["postgres", ...["fsync=off", "max_connections=300", "timezone=UTC"].flatMap((s) => ["-c", s])],
  urlAt: (port, password) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
  probe: postgresAnswers,
};

/** Resolves when the Postgres at a URL answers a query. Throws when it does not. */
export async function postgresAnswers(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
  try {
    await sql`SELECT 1`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
