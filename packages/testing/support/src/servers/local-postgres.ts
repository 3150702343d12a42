import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findCommand, postgresDirectories } from "../processes/find-command.ts";
import { postgresAnswers } from "./postgres-answers.ts";
import type { LocalServer } from "./start-local-server.ts";
import { unprivilegedUser } from "./unprivileged-user.ts";

// The data need not survive a crash of the machine. A commit must survive a crash of the server.
const fastSettings = ["fsync=off", "full_page_writes=off", "autovacuum=off"];

/** Runs Postgres from local binaries, on 127.0.0.1 without a password. Undefined when there are no binaries. */
export function localPostgres(): LocalServer | undefined {
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
