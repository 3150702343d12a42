import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findCommand, postgresDirectories } from "../processes/find-command.ts";
import { postgresAnswers } from "./postgres-answers.ts";
import type { LocalServer } from "./start-local-server.ts";
import { unprivilegedUser } from "./unprivileged-user.ts";

// Nothing here has to outlive the machine's next crash; a commit must outlive the server's.
const careless = ["fsync=off", "full_page_writes=off", "autovacuum=off"];

/** Postgres from local binaries; undefined when there are none. Trusts whoever reaches it, listens on 127.0.0.1 only. */
export function localPostgres(): LocalServer | undefined {
  const server = findCommand("postgres", postgresDirectories());
  if (!server) return undefined;
  const user = unprivilegedUser();
  return {
    name: "postgres",
    user,
    // "Fast": ends what is running and leaves the data in order.
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
        ...(durable ? [] : careless),
      ];
      const args = ["-D", join(dataDir, "data"), ...settings.flatMap((setting) => ["-c", setting])];
      return { command: server, args };
    },
  };
}
