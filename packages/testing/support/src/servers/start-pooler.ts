import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findCommand } from "../processes/find-command.ts";
import { freePort } from "../processes/free-port.ts";
import { startProcess } from "../processes/start-process.ts";
import { postgresAnswers } from "./postgres.ts";
import { unprivilegedUser } from "./start-server.ts";

type Place = { listenPort: number; mode: string; directory: string };

const configurations = {
  pgbouncer: ({ hostname, port, username, password }: URL, { listenPort, mode }: Place) => `[databases]
* = host=${hostname} port=${port} user=${username}${password && ` password=${password}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
  pgpool: ({ hostname, port }: URL, { listenPort, directory }: Place) => `backend_clustering_mode = raw
backend_hostname0 = '${hostname}'
backend_port0 = ${port}
port = ${listenPort}
unix_socket_directories = '${directory}'
pid_file_name = '${directory}/pgpool.pid'
`,
};

/** Starts a pooler in front of a database, with its defaults but for the mode of PgBouncer's pool. */
export async function startPooler(databaseUrl: string, name: keyof typeof configurations, mode = "session") {
  const command = findCommand(name, ["/usr/sbin", "/opt/homebrew/bin"]);
  if (!command) throw new Error(`${name} is not installed. Run ./scripts/setup, then try again.`);
  const directory = mkdtempSync(join(tmpdir(), `video-to-json-${name}-`));
  const user = unprivilegedUser();
  const port = await freePort();
  const server = new URL(databaseUrl);
  const configuration = join(directory, "pooler.conf");
  writeFileSync(configuration, configurations[name](server, { listenPort: port, mode, directory }));
  writeFileSync(join(directory, "pool_passwd"), `${server.username}:TEXT${server.password}\n`);
  if (user) chownSync(directory, user.uid, user.gid);
  const url = Object.assign(server, { host: `127.0.0.1:${port}` }).href;
  const started = await startProcess({
    ...{ name, command, user, args: name === "pgpool" ? ["-n", "-f", configuration] : [configuration] },
    logFile: join(directory, "pooler.log"),
    temporaryDirectory: directory,
    probe: () => postgresAnswers(url),
  });
  const stop = async () => {
    await started.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { url, [Symbol.asyncDispose]: stop };
}
