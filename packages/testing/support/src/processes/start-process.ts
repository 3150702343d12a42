import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { logTail } from "./log-tail.ts";
import { groupRuns, killGroup } from "./process-group.ts";
import { startTimeOf } from "./process-identity.ts";
import { watchOver } from "./watchdog.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A process to be started. */
export type ProcessSpec = {
  /** What messages call it: "postgres", "worker-2". */
  name: string;
  command: string;
  args: readonly string[];
  env: Environment;
  /** Where its stdout and stderr are appended to. */
  logFile: string;
  /** Whether it lives on when this process ends. */
  detached: boolean;
  /** The signal that ends it in good order. */
  stopSignal: NodeJS.Signals;
  /** Whom it runs as, if not as us. */
  user?: { uid: number; gid: number };
  /** A directory that goes when this process dies before it has stopped it. */
  temporaryDirectory?: string;
};

/** A process that was started. */
export type RunningProcess = {
  name: string;
  pid: number;
  logFile: string;
  /** Resolves with how it ended: "code 1", "signal SIGKILL". */
  ended: Promise<string>;
  /** Sends a signal to it alone; does nothing when it has ended. */
  kill(signal: NodeJS.Signals): void;
  /** Ends it in good order, by force after `graceMs` (10 s), and whatever it left running. */
  stop(graceMs?: number): Promise<void>;
};

/** Starts a process in a group of its own; it dies with us unless it is detached. Throws when it cannot be started. */
export async function startProcess(spec: ProcessSpec): Promise<RunningProcess> {
  mkdirSync(dirname(spec.logFile), { recursive: true });
  const log = openSync(spec.logFile, "a");
  const child = spawn(spec.command, spec.args, {
    env: { ...spec.env },
    detached: true,
    stdio: ["ignore", log, log],
    ...(spec.user ?? {}),
  });
  closeSync(log);
  const pid = await pidOf(child, spec);
  const leader = { pid, startTime: startTimeOf(pid) };
  const callOff = spec.detached
    ? () => {}
    : watchOver({
        ...leader,
        signal: spec.stopSignal,
        ...(spec.temporaryDirectory ? { directory: spec.temporaryDirectory } : {}),
      });
  let isOver = false;
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      // From now on its number may be another's.
      isOver = !groupRuns(leader);
      if (isOver && !spec.temporaryDirectory) callOff();
      resolve(signal ? `signal ${signal}` : `code ${code}`);
    });
  });
  if (spec.detached) child.unref();
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    name: spec.name,
    pid,
    logFile: spec.logFile,
    ended,
    kill(signal) {
      if (!hasEnded()) child.kill(signal);
    },
    async stop(graceMs = 10_000) {
      child.ref();
      if (!hasEnded()) child.kill(spec.stopSignal);
      const force = setTimeout(() => child.kill("SIGKILL"), graceMs);
      await ended;
      clearTimeout(force);
      if (!isOver) killGroup(leader);
      callOff();
    },
  };
}

function pidOf(child: ChildProcess, spec: ProcessSpec): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", (cause) =>
      reject(
        new Error(`${spec.name} cannot be started (${spec.command}). Run ./scripts/setup, then try again.`, { cause }),
      ),
    );
    child.once("spawn", () =>
      child.pid === undefined ? reject(new Error(`${spec.name} has no pid`)) : resolve(child.pid),
    );
  });
}

/** Fails with the end of the log as soon as a process ends: for racing against its becoming ready. */
export async function endedEarly(started: RunningProcess): Promise<never> {
  const how = await started.ended;
  throw new Error(
    `${started.name} ended (${how}) before it was ready. Its last words:\n${await logTail(started.logFile)}`,
  );
}
