import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findCommand } from "../processes/find-command.ts";
import { freePort } from "../processes/free-port.ts";
import { startProcess } from "../processes/start-process.ts";
import { askRedis } from "./redis.ts";

/**
 * Starts three sentinels that watch the primary at `url` and make another server the primary after a second of silence.
 *
 * @param more are further lines of the configuration, such as those of TLS or a password.
 * @returns host and port of each.
 */
export async function startSentinels(url: string, name: string, more: readonly string[] = []) {
  const command = findCommand("redis-server", ["/opt/homebrew/bin"]);
  if (!command) throw new Error("redis-server is not installed. Run ./scripts/setup, then try again.");
  const directory = mkdtempSync(join(tmpdir(), "video-to-json-sentinels-"));
  const { hostname, port: primaryPort } = new URL(url);
  const start = async () => {
    const port = await freePort();
    const file = join(directory, `${port}.conf`);
    const own = [`port ${port}`, "bind 127.0.0.1", `dir ${directory}`, "protected-mode no"];
    const watched = [
      `sentinel monitor ${name} ${hostname} ${primaryPort} 2`,
      `sentinel down-after-milliseconds ${name} 1000`,
      `sentinel failover-timeout ${name} 5000`,
    ];
    writeFileSync(file, [...own, ...watched, ...more].join("\n"));
    const started = await startProcess({
      name: "sentinel",
      command,
      args: [file, "--sentinel"],
      logFile: join(directory, `${port}.log`),
      temporaryDirectory: directory,
      probe: () => answers(port),
    });
    return { started, host: `127.0.0.1:${port}` };
  };
  const sentinels = await Promise.all([start(), start(), start()]);
  return {
    hosts: sentinels.map(({ host }) => host),
    async [Symbol.asyncDispose]() {
      await Promise.all(sentinels.map(({ started }) => started.stop()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A sentinel with a password answers too: it asks for the password. */
async function answers(port: number): Promise<void> {
  const answer = await askRedis(`redis://127.0.0.1:${port}`, "PING");
  if (!/PONG|NOAUTH/.test(answer)) throw new Error(`A sentinel answers ${answer}.`);
}
