import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../processes/free-port.ts";
import { type RunningProcess, startProcess } from "../processes/start-process.ts";
import { type ContainerServer, dockerAnswers, haveImage, startContainerServer } from "./containers.ts";

/** A running Postgres or Redis on 127.0.0.1. */
export type Server = {
  url: string;
  pid: number;
  /** The name of its container, if it runs in one. */
  container?: string;
  /** Shuts it down, and removes its data unless it has a `dataDir`. */
  stop(): Promise<void>;
  /** Kills it with SIGKILL. Resolves when it has ended. */
  kill(): Promise<void>;
  /** Stops it if it runs, and starts it on the same port. `empty` deletes its data first. */
  restart(options?: { empty?: boolean }): Promise<void>;
};

/** Where and how a server runs. The defaults suit a test. */
export type ServerOptions = {
  /** The directory for its data, which survives `stop`. By default a temporary directory. */
  dataDir?: string;
  /** Its log file. By default a file beside the data. */
  logFile?: string;
  /** Whether it continues when this process ends. Needs a `dataDir`. */
  detached?: boolean;
  /** Further settings of a local Redis. */
  settings?: Readonly<Record<string, string>>;
  /** What to use where both are available; by default local binaries. */
  prefer?: "local" | "container";
};

/** The two ways to run a server. `local` is undefined where its binaries are missing. */
type Ways = { local: LocalServer | undefined; container: ContainerServer };

// The wait for an image is short where local binaries can replace it.
const pullMs = { preferred: 20_000, needed: 300_000 };

/** Starts a server the way that `options.prefer` names, or the other way where that is not available. */
export async function startServer({ local, container }: Ways, options: ServerOptions): Promise<Server> {
  const containerFirst = options.prefer === "container";
  if (local && !(containerFirst && (await canContain(container, pullMs.preferred)))) {
    return startLocalServer(local, options);
  }
  if (local || (await canContain(container, pullMs.needed))) return startContainerServer(container, options);
  throw new Error(`Neither ${container.name} nor Docker is installed. Run ./scripts/setup first.`);
}

async function canContain(container: ContainerServer, timeoutMs: number): Promise<boolean> {
  return (await dockerAnswers()) && (await haveImage(container.image, timeoutMs));
}

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

async function startLocalServer(kind: LocalServer, options: ServerOptions): Promise<Server> {
  const durable = options.dataDir !== undefined;
  const temporary = durable ? undefined : mkdtempSync(join(tmpdir(), `video-to-json-${kind.name}-`));
  const dataDir = dataDirectory(options.dataDir ?? String(temporary), kind.user);
  const logFile = options.logFile ?? join(dataDir, "server.log");
  const port = await freePort();
  const url = kind.urlAt(port);

  async function start(): Promise<RunningProcess> {
    await kind.prepare(dataDir, durable);
    const { name, stopSignal, user } = kind;
    return startProcess({
      ...{ name, stopSignal, user, logFile, detached: options.detached, temporaryDirectory: temporary },
      ...kind.command(dataDir, port, durable),
      env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" },
      probe: () => kind.probe(url),
    });
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

/** Returns `wanted`, or `substituteFor(wanted)` when the user cannot enter a parent of it, such as the home of root. */
function dataDirectory(wanted: string, user: User | undefined): string {
  mkdirSync(wanted, { recursive: true, mode: 0o700 });
  if (!user) return wanted;
  chownSync(wanted, user.uid, user.gid);
  if (canEnter(wanted, user)) return wanted;
  const instead = substituteFor(wanted);
  mkdirSync(instead, { recursive: true, mode: 0o700 });
  chownSync(instead, user.uid, user.gid);
  return instead;
}

/** Returns the directory under /var/tmp that replaces one that the user of a server cannot enter. */
export function substituteFor(wanted: string): string {
  return `/var/tmp/video-to-json-${createHash("sha256").update(wanted).digest("hex").slice(0, 12)}`;
}

function canEnter(directory: string, user: User): boolean {
  return spawnSync("sh", ["-c", 'cd "$1"', "sh", directory], { ...user, stdio: "ignore", cwd: "/" }).status === 0;
}

/** A user of the system, by its numbers. */
export type User = { uid: number; gid: number };

/** Returns the user for Postgres when we are root, which it refuses: `postgres`, or else `nobody`. Otherwise undefined. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = idsOf("postgres") ?? idsOf("nobody");
  if (!user) throw new Error("Postgres does not run as root. Create the user postgres or nobody.");
  return user;
}

function idsOf(name: string): User | undefined {
  try {
    const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return undefined;
  }
}
