import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findCommand } from "../processes/find-command.ts";
import { redisAnswers } from "./redis-answers.ts";
import type { LocalServer } from "./start-local-server.ts";

/** Runs Redis from a local binary, with an append-only file that survives a restart. Undefined without a binary. */
export function localRedis(): LocalServer | undefined {
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
      };
      return { command: server, args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]) };
    },
  };
}
