import { execFile, execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "../processes/free-port.ts";
import { runOnExit } from "../processes/watchdog.ts";
import type { Server, ServerOptions } from "./start-server.ts";

/** Runs a docker command. Returns its stdout, trimmed. Throws when it fails or takes longer than `timeoutMs` (60 s). */
export async function docker(args: readonly string[], timeoutMs = 60_000): Promise<string> {
  const { stdout } = await promisify(execFile)("docker", [...args], { timeout: timeoutMs, killSignal: "SIGKILL" });
  return stdout.trim();
}

/** Returns whether a container engine answers. */
export function dockerAnswers(): Promise<boolean> {
  return succeeds(docker(["version", "--format", "{{.Server.Version}}"], 5000));
}

/** Returns whether an image is present or can be pulled within `timeoutMs`. */
export async function haveImage(image: string, timeoutMs: number): Promise<boolean> {
  return (
    (await succeeds(docker(["image", "inspect", image], 5000))) ||
    (await succeeds(docker(["pull", "--quiet", image], timeoutMs)))
  );
}

/** Returns whether a container of this name runs. */
export function containerRuns(name: string): boolean {
  try {
    const args = ["inspect", "--format", "{{.State.Running}}", name];
    return execFileSync("docker", args, { encoding: "utf8", stdio: "pipe" }).trim() === "true";
  } catch {
    return false;
  }
}

async function succeeds(attempt: Promise<unknown>): Promise<boolean> {
  try {
    await attempt;
    return true;
  } catch {
    return false;
  }
}

/** How to run one kind of server in a container. */
export type ContainerServer = {
  name: "postgres" | "redis";
  image: string;
  port: number;
  /** The directory in which the image stores its data. */
  volume: string;
  /** The log line that the server writes just before it answers. */
  readyLine: RegExp;
  environment(password: string): Record<string, string>;
  command(password: string): string[];
  urlAt(port: number, password: string): string;
  /** Throws unless the server at the URL answers a query. */
  probe(url: string): Promise<void>;
};

const readyMs = 60_000;

/** Starts a server in a container and waits until it answers. Without a `dataDir` its data is deleted when it stops. */
export async function startContainerServer(kind: ContainerServer, options: ServerOptions): Promise<Server> {
  const { dataDir } = options;
  const port = await freePort();
  const password = dataDir === undefined ? newPassword() : keptPassword(dataDir);
  const url = kind.urlAt(port, password);

  async function create(): Promise<{ id: string; pid: number; cancelWatchdog(): void }> {
    // The reaper of testcontainers is another image to pull; our watchdog does the same.
    process.env.TESTCONTAINERS_RYUK_DISABLED = "true";
    const { GenericContainer, Wait } = await import("testcontainers");
    const id = `video-to-json-${randomBytes(8).toString("hex")}`;
    const cancelWatchdog = options.detached ? () => {} : runOnExit(["docker", "rm", "--force", "--volumes", id]);
    const wanted = new GenericContainer(kind.image)
      .withName(id)
      .withExposedPorts({ container: kind.port, host: port })
      .withEnvironment(kind.environment(password))
      .withCommand(kind.command(password))
      .withWaitStrategy(Wait.forLogMessage(kind.readyLine).withStartupTimeout(readyMs));
    if (dataDir !== undefined) wanted.withBindMounts([{ source: volumeFor(dataDir), target: kind.volume }]);
    await wanted.start();
    await untilAnswers(() => kind.probe(url));
    return { id, pid: await pidOf(id), cancelWatchdog };
  }

  let running = await create();
  async function remove(): Promise<void> {
    await docker(["rm", "--force", "--volumes", running.id]);
    running.cancelWatchdog();
  }
  return {
    url,
    get pid() {
      return running.pid;
    },
    get container() {
      return running.id;
    },
    async stop() {
      await docker(["stop", running.id]);
      await remove();
    },
    async kill() {
      await docker(["kill", running.id]);
    },
    async restart({ empty = false } = {}) {
      if (empty) {
        await remove();
        if (dataDir !== undefined) await removeVolume(dataDir);
        running = await create();
      } else {
        await docker(["restart", running.id]);
        await untilAnswers(() => kind.probe(url));
        running.pid = await pidOf(running.id);
      }
    },
  };
}

/** Removes the volume of a `dataDir`, if there is one. */
export async function removeVolume(dataDir: string): Promise<void> {
  await docker(["volume", "rm", "--force", volumeFor(dataDir)]);
}

// A volume of the engine: files that a container writes into our directory belong to another user.
function volumeFor(dataDir: string): string {
  return `video-to-json-${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`;
}

// The engine publishes the port on the network of the machine, so the server always has a password.
function newPassword(): string {
  return randomBytes(16).toString("hex");
}

function keptPassword(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, "password");
  try {
    return readFileSync(file, "utf8");
  } catch {
    const password = newPassword();
    writeFileSync(file, password, { mode: 0o600 });
    return password;
  }
}

async function pidOf(id: string): Promise<number> {
  return Number(await docker(["inspect", "--format", "{{.State.Pid}}", id]));
}

async function untilAnswers(probe: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + readyMs;
  while (true) {
    try {
      return await probe();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await delay(50);
  }
}
