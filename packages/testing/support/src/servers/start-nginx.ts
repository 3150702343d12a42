import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findCommand } from "../processes/find-command.ts";
import { freePort } from "../processes/free-port.ts";
import { startProcess } from "../processes/start-process.ts";

type Nginx = AsyncDisposable & { url: string };

/** Returns the path of nginx. Throws if it is not installed. */
export function nginxCommand(): string {
  // Debian installs it where only root looks.
  const command = findCommand("nginx", ["/usr/sbin", "/opt/homebrew/bin"]);
  if (!command) throw new Error("nginx is not installed. Run ./scripts/setup, then try again.");
  return command;
}

/**
 * Returns a whole configuration of nginx around the directives of a `server` block.
 *
 * @param server.directives may name the upstream `video_to_json`, which is `upstreamPort` of this machine.
 */
export function nginxConfiguration(server: { directives: string; port: number; upstreamPort: number }): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${name};`);
  return `daemon off;
master_process off;
pid nginx.pid;
error_log stderr warn;
worker_rlimit_nofile 8192;
events { worker_connections 4096; }
http {
  access_log off;
  ${temporary.join("\n  ")}
  upstream video_to_json { server 127.0.0.1:${server.upstreamPort}; }
  server {
    listen 127.0.0.1:${server.port} backlog=4096;
    ${server.directives}
  }
}
`;
}

/** Starts nginx with these directives in its `server` block, as `nginxConfiguration` explains. */
export async function startNginx(server: { directives: string; upstreamPort: number }): Promise<Nginx> {
  const directory = mkdtempSync(join(tmpdir(), "video-to-json-nginx-"));
  const port = await freePort();
  writeFileSync(join(directory, "nginx.conf"), nginxConfiguration({ ...server, port }));
  const started = await startProcess({
    name: "nginx",
    command: nginxCommand(),
    args: ["-p", directory, "-c", "nginx.conf", "-e", "stderr"],
    logFile: join(directory, "nginx.log"),
    temporaryDirectory: directory,
    probe: () => canConnect(port),
  });
  const stop = async () => {
    await started.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop };
}

async function canConnect(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
}
