import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../processes/free-port.ts";
import { type ProcessSpec, type RunningProcess, startProcess } from "../processes/start-process.ts";
import { untilReady } from "../processes/until-ready.ts";
import { dataDirectory } from "./data-directory.ts";
import type { Server, ServerOptions } from "./server.ts";
import type { User } from "./unprivileged-user.ts";

/** How to run one kind of server from local binaries. */
export type LocalServer = {
  name: "postgres" | "redis";
  urlAt(port: number): string;
  /** Throws unless the server at the URL answers a query. */
  probe(url: string): Promise<void>;
  user: User | undefined;
  stopSignal: NodeJS.Signals;
  /** Initializes the data directory, unless it is initialized already. */
  prepare(dataDir: string, durable: boolean): Promise<void>;
  command(dataDir: string, port: number, durable: boolean): { command: string; args: string[] };
};

/** Starts a server from local binaries and waits until it answers. Without a `dataDir` `stop` deletes its data. */
export async function startLocalServer(kind: LocalServer, options: ServerOptions): Promise<Server> {
  const durable = options.dataDir !== undefined;
  const temporary = durable ? undefined : mkdtempSync(join(tmpdir(), `video-to-json-${kind.name}-`));
  const dataDir = dataDirectory(options.dataDir ?? String(temporary), kind.user);
  const logFile = options.logFile ?? join(dataDir, "server.log");
  const port = await freePort();
  const url = kind.urlAt(port);

  async function start(): Promise<RunningProcess> {
    await kind.prepare(dataDir, durable);
    const spec: ProcessSpec = {
      name: kind.name,
      ...kind.command(dataDir, port, durable),
      env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" },
      logFile,
      detached: options.detached ?? false,
      stopSignal: kind.stopSignal,
      ...(kind.user ? { user: kind.user } : {}),
      ...(temporary ? { temporaryDirectory: temporary } : {}),
    };
    const started = await startProcess(spec);
    try {
      await untilReady(started, () => kind.probe(url));
    } catch (error) {
      await started.stop(0);
      throw error;
    }
    return started;
  }

  function removeData(): void {
    if (temporary) rmSync(temporary, { recursive: true, force: true });
  }

  let running = await start().catch((error) => {
    removeData();
    throw error;
  });
  return {
    url,
    get pid() {
      return running.pid;
    },
    async stop() {
      await running.stop();
      removeData();
    },
    async kill() {
      running.kill("SIGKILL");
      await running.stop();
    },
    async restart({ empty = false } = {}) {
      await running.stop();
      if (empty) rmSync(join(dataDir, "data"), { recursive: true, force: true });
      running = await startAgain(start);
    },
  };
}

// The children of a PostgreSQL that was killed hold its shared memory for a moment, and a start fails meanwhile.
async function startAgain(start: () => Promise<RunningProcess>): Promise<RunningProcess> {
  for (let attempt = 1; attempt < 20; attempt++) {
    try {
      return await start();
    } catch {
      await delay(250);
    }
  }
  return start();
}
