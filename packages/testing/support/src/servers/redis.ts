import { mkdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { findCommand } from "../processes/find-command.ts";
import type { ContainerServer } from "./containers.ts";
import { type LocalServer, type Server, type ServerOptions, startServer } from "./start-server.ts";

/** Starts a Redis and waits until it answers. It is empty unless its `dataDir` contains data. */
export function startRedis(options: ServerOptions = {}): Promise<Server> {
  return startServer({ local: localRedis(options.settings), container: containerRedis }, options);
}

/** Runs Redis from a local binary, with an append-only file that survives a restart. Undefined without a binary. */
function localRedis(more: ServerOptions["settings"]): LocalServer | undefined {
  const server = findCommand("redis-server", ["/opt/homebrew/bin"]);
  if (!server) return undefined;
  return {
    name: "redis",
    user: undefined,
    stopSignal: "SIGTERM",
    urlAt: (port) => `redis://127.0.0.1:${port}`,
    probe: redisAnswers,
    async prepare(dataDir) {
      mkdirSync(join(dataDir, "data"), { recursive: true });
    },
    command(dataDir, port) {
      const settings = {
        port: String(port),
        bind: "127.0.0.1",
        dir: join(dataDir, "data"),
        save: "",
        appendonly: "yes",
        "maxmemory-policy": "noeviction",
        daemonize: "no",
        ...more,
      };
      return { command: server, args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]) };
    },
  };
}

/** Runs Redis in a container. Its append-only file keeps the data through a restart. */
const containerRedis: ContainerServer = {
  name: "redis",
  image: "redis:8",
  port: 6379,
  volume: "/data",
  readyLine: /Ready to accept connections/,
  environment: () => ({}),
  command: (password) => [
    "redis-server",
    ...["--requirepass", password, "--save", "", "--appendonly", "yes", "--maxmemory-policy", "noeviction"],
    ...["--bind", "0.0.0.0"],
  ],
  urlAt: (port, password) => `redis://:${password}@127.0.0.1:${port}`,
  probe: redisAnswers,
};

/** Resolves when the Redis at a URL answers PING. Throws when it does not, or is still loading. */
export async function redisAnswers(url: string): Promise<void> {
  const answer = await askRedis(url, "PING");
  if (answer !== "+PONG") throw new Error(`Redis answers ${answer}, not +PONG.`);
}

// A busy machine may let a server wait for seconds.
const timeoutMs = 20_000;

/**
 * Sends one command to the Redis at a URL. Returns the reply in the wire format without the last line break: "+OK",
 * "$5\r\nvalue", "$-1". Command and reply must fit into one packet. Throws after 20 s without a reply.
 */
export function askRedis(url: string, command: string): Promise<string> {
  const { hostname, port, password } = new URL(url);
  // SELECT replies +OK like AUTH, so that there are always two replies.
  const first = password ? `AUTH ${password}` : "SELECT 0";
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port || 6379), hostname, () => socket.write(`${first}\r\n${command}\r\n`));
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error("Redis does not answer. Check that it runs.")));
    let received = "";
    socket.on("data", (bytes) => {
      received += String(bytes);
      const [, ...rest] = received.split("\r\n");
      if (rest.length < 2 || !received.endsWith("\r\n")) return;
      resolve(rest.slice(0, -1).join("\r\n"));
      socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("Redis closed the connection.")));
  });
}
