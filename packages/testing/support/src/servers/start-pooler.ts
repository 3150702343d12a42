import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findCommand } from "../processes/find-command.ts";
import { freePort } from "../processes/free-port.ts";
import { startProcess } from "../processes/start-process.ts";
import { postgresAnswers } from "./postgres.ts";
import { unprivilegedUser } from "./start-server.ts";

type Place = { server: URL; port: number; directory: string };

const poolers = {
  pgbouncer: {
    configure: ({ server, port }: Place, mode: string) => `[databases]
* = host=${server.hostname} port=${server.port} user=${server.username}${server.password && ` password=${server.password}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
    args: (configuration: string) => [configuration],
  },
  pgpool: {
    configure: ({ server, port, directory }: Place) => `backend_clustering_mode = 'raw'
backend_hostname0 = '${server.hostname}'
backend_port0 = ${server.port}
port = ${port}
pcp_listen_addresses = ''
unix_socket_directories = '${directory}'
pid_file_name = '${directory}/pgpool.pid'
work_dir = '${directory}'
num_init_children = 8
`,
    args: (configuration: string) => ["-n", "-f", configuration],
  },
} as const;

/** Starts a pooler in front of a database, with its defaults but for the mode of PgBouncer's pool. */
export async function startPooler(databaseUrl: string, name: keyof typeof poolers, mode = "session") {
  const command = findCommand(name, ["/usr/sbin", "/opt/homebrew/bin"]);
  if (!command) throw new Error(`${name} is not installed. Run ./scripts/setup, then try again.`);
  const directory = mkdtempSync(join(tmpdir(), `video-to-json-${name}-`));
  const user = unprivilegedUser();
  const port = await freePort();
  const { configure, args } = poolers[name];
  const server = new URL(databaseUrl);
  const configuration = join(directory, "pooler.conf");
  writeFileSync(configuration, configure({ server, port, directory }, mode));
  writeFileSync(join(directory, "pool_passwd"), `${server.username}:TEXT${server.password}\n`);
  if (user) chownSync(directory, user.uid, user.gid);
  const url = Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href;
  const started = await startProcess({
    ...{ name, command, user, args: args(configuration) },
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
