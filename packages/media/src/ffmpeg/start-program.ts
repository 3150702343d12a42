import { spawn } from "node:child_process";
import { constants, getPriority, setPriority } from "node:os";
import type { Readable } from "node:stream";

/** How a program starts. */
export type ProgramStart = {
  /** The program, or the first of its launchers, and the arguments. */
  command: readonly string[];
  directory: string | undefined;
  /** The program and its launchers get a process group of their own. */
  hasOwnGroup: boolean;
  /** The files that the program gets as descriptors from 3 on. */
  files: readonly OpenFile[];
};

/** A file that this process has open, for reading or for writing. */
export type OpenFile = { descriptor: number; writes: boolean };

/** Receives what a program does, in order. After `failed` or `ended`, a call means nothing. */
export type ProgramEvents = {
  /** No further output is read until the promise resolves. */
  output(chunk: Buffer): void | Promise<void>;
  warning(text: string): void | Promise<void>;
  /** The program could not start. */
  failed(error: Error): void;
  /** The process has ended, and all of its output was received. */
  ended(exitCode: number | null, signal: NodeJS.Signals | null): void;
};

/** A program that runs. `kill` ends all processes of its group at once. It may be called at any time. */
export type StartedProgram = { kill(): void };

/** Starts a program without our environment and with a lower priority. */
export type StartProgram = (start: ProgramStart, events: ProgramEvents) => StartedProgram;

/** Starts a program from this process. Meanwhile, this process stands still: about 5 ms for 100 MB of its memory. */
export const startProgram: StartProgram = ({ command, directory, hasOwnGroup, files }, events) => {
  const [first = "", ...args] = command;
  const started = spawn(first, args, {
    // A decoder of untrusted bytes must not see our environment, which holds secrets.
    env: { LC_ALL: "C", AV_LOG_FORCE_NOCOLOR: "1", OMP_THREAD_LIMIT: "1" },
    stdio: ["ignore", "pipe", "pipe", ...files.map(({ descriptor }) => descriptor)],
    cwd: directory,
    windowsHide: true,
    detached: hasOwnGroup,
  });
  lowerPriority(started.pid);
  passOn(started.stdout, events.output);
  passOn(started.stderr?.setEncoding("utf8"), events.warning);
  started.once("error", events.failed);
  started.once("close", events.ended);
  return {
    kill() {
      try {
        // A launcher may die before it has tied the program to its own life. So all processes of the run are killed.
        if (started.pid !== undefined) process.kill(-started.pid, "SIGKILL");
      } catch {
        // The process has no group of its own, or has ended.
        started.kill("SIGKILL");
      }
    },
  };
};

/** A program that did not start, because no file descriptor was free, has no stream. */
function passOn<T>(stream: Readable | null | undefined, receive: (part: T) => void | Promise<void>): void {
  stream?.on("data", (part: T) => {
    const received = receive(part);
    if (!received) return;
    stream.pause();
    void received.then(() => stream.resume());
  });
}

/** A finished answer must not wait for the probe of another video, however busy the processor is. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, Math.min(getPriority() + 10, constants.priority.PRIORITY_LOW));
  } catch {
    // The program has already ended.
  }
}
