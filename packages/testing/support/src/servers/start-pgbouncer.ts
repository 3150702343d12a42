import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findCommand } from "../processes/find-command.ts";
import { freePort } from "../processes/free-port.ts";
import { startProcess } from "../processes/start-process.ts";
import { postgresAnswers } from "./postgres.ts";
import { unprivilegedUser } from "./start-server.ts";

/** Starts PgBouncer in front of a database, with its defaults but for the mode of its pool. */
export async function startPgBouncer(databaseUrl: string, poolMode: "session" | "transaction") {
  const command = findCommand("pgbouncer", ["/usr/sbin", "/opt/homebrew/bin"]);
  if (!command) throw new Error("PgBouncer is not installed. Run ./scripts/setup, then try again.");
  const directory = mkdtempSync(join(tmpdir(), "video-to-json-pgbouncer-"));
  const user = unprivilegedUser();
  const port = await freePort();
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const configuration = `[databases]
* = host=${hostname} port=${serverPort} user=${username}${password && ` password=${password}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
`;
  writeFileSync(join(directory, "pgbouncer.ini"), configuration);
  if (user) chownSync(directory, user.uid, user.gid);
  const url = Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}`, password: "" }).href;
  const started = await startProcess({
    name: "pgbouncer",
    command,
    args: [join(directory, "pgbouncer.ini")],
    user,
    logFile: join(directory, "pgbouncer.log"),
    temporaryDirectory: directory,
    probe: () => postgresAnswers(url),
  });
  const stop = async () => {
    await started.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { url, [Symbol.asyncDispose]: stop };
}
