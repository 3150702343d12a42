import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { groupRuns, killGroup, startTimeOf } from "./process-group.ts";
import { stopOnExit } from "./watchdog.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A process to start. */
export type ProcessSpec = {
  /** Its name in messages: "postgres", "worker-2". */
  name: string;
  command: string;
  args: readonly string[];
  /** Its environment; by default only our PATH. */
  env?: Environment;
  /** The file to which its stdout and stderr are appended. */
  logFile: string;
  /** Whether it continues when this process ends. */
  detached?: boolean | undefined;
  /** The signal that shuts it down; by default SIGTERM. */
  stopSignal?: NodeJS.Signals;
  /** The user that it runs as; by default ours. */
  user?: { uid: number; gid: number } | undefined;
  /** A directory to remove when this process ends before it has stopped the other. */
  temporaryDirectory?: string | undefined;
  /** Throws as long as it is not ready. If it does not become ready, it is stopped, and `startProcess` throws. */
  probe?: () => Promise<unknown>;
};

/** A process that this process started. */
export type RunningProcess = {
  name: string;
  pid: number;
  logFile: string;
  /** Resolves when it has ended, with the way it ended: "code 1", "signal SIGKILL". */
  ended: Promise<string>;
  /** Sends it a signal, but not its children. Does nothing when it has ended. */
  kill(signal: NodeJS.Signals): void;
  /** Shuts it down, kills it after `graceMs` (10 s), and kills its children that still run. */
  stop(graceMs?: number): Promise<void>;
};

/** Starts a process in a new group. It ends when this process ends, unless it is detached. Throws when it cannot start. */
export async function startProcess(spec: ProcessSpec): Promise<RunningProcess> {
  const { name, logFile, stopSignal = "SIGTERM", temporaryDirectory, env = { PATH: process.env.PATH } } = spec;
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, "a");
  const child = spawn(spec.command, spec.args, {
    env: { ...env },
    detached: true,
    stdio: ["ignore", log, log],
    ...spec.user,
  });
  closeSync(log);
  await once(child, "spawn").catch((cause) => {
    const advice = "Run ./scripts/setup, then try again.";
    throw new Error(`${name} cannot be started (${spec.command}). ${advice}`, { cause });
  });
  const pid = Number(child.pid);
  const leader = { pid, startTime: startTimeOf(pid) };
  const cancelWatchdog = spec.detached
    ? () => {}
    : stopOnExit({ ...leader, signal: stopSignal, directory: temporaryDirectory });
  let isOver = false;
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      // From now on another process may get its pid.
      isOver = !groupRuns(leader);
      if (isOver && !temporaryDirectory) cancelWatchdog();
      resolve(signal ? `signal ${signal}` : `code ${code}`);
    });
  });
  if (spec.detached) child.unref();
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const running: RunningProcess = {
    ...{ name, pid, logFile, ended },
    kill(signal) {
      if (!hasEnded()) child.kill(signal);
    },
    async stop(graceMs = 10_000) {
      child.ref();
      if (!hasEnded()) child.kill(stopSignal);
      const force = setTimeout(() => child.kill("SIGKILL"), graceMs);
      await ended;
      clearTimeout(force);
      if (!isOver) killGroup(leader);
      cancelWatchdog();
    },
  };
  try {
    if (spec.probe) await untilReady(running, spec.probe);
    return running;
  } catch (error) {
    await running.stop(0);
    throw error;
  }
}

const everyMs = 25;

/** Calls `probe` until it does not throw. Throws when the process ends, or after `timeoutMs` (60 s), with its log. */
export async function untilReady<T>(started: RunningProcess, probe: () => Promise<T>, timeoutMs = 60_000): Promise<T> {
  const { name, logFile } = started;
  let fault: string | undefined;
  void started.ended.then((how) => {
    fault = `${name} ended (${how}) before it was ready`;
  });
  for (const deadline = Date.now() + timeoutMs; ; await delay(everyMs)) {
    try {
      return await probe();
    } catch (cause) {
      if (Date.now() > deadline) fault ??= `${name} is not ready after ${Math.round(timeoutMs / 1000)} s`;
      if (fault) throw new Error(`${fault}. The end of its log:\n${await logTail(logFile)}`, { cause });
    }
  }
}

async function logTail(file: string, lines = 20): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-lines).join("\n");
}
