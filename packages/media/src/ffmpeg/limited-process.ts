import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FfmpegCommand } from "fluent-ffmpeg";
import type { RunContext } from "./confinement.ts";
import { findProgram, MachineFault } from "./find-program.ts";
import { inIsolation, pathOf } from "./isolation.ts";
import { type OpenFile, type ProgramStart, startProgram } from "./start-program.ts";

/** The limits of one run. The kernel enforces memory, CPU time and file size if there is a `prlimit` (Linux). */
export type ProcessLimits = RunContext & {
  timeoutMs: number;
  maxMemoryBytes: number;
  maxCpuSeconds: number;
  /** The size limit of a file that it writes; 0 if it may write none. */
  maxFileBytes: number;
  maxStdoutBytes: number;
  /** The program's files, which it gets as descriptors from 3 on. See `handOver`. */
  files?: readonly OpenFile[] | undefined;
  /**
   * Receives standard output while the program runs, instead of keeping it. Returns true to end the run successfully.
   */
  onStdout?: ((chunk: Buffer) => boolean) | undefined;
  /** Matches stderr if the run failed although its exit code is 0. */
  failure?: RegExp | undefined;
};

/**
 * The output of a run. `stdout` is empty if `onStdout` received it. `stderr` is at most its last 2 million characters.
 */
export type ProcessResult = { stdout: Buffer; stderr: string };

/** A program that reads untrusted data. */
export type ConfinedProgram = "ffmpeg" | "ffprobe" | "tesseract";

/**
 * Runs a program under limits, with the arguments of a fluent-ffmpeg command, or with a list of arguments. Kills it
 * with SIGKILL on timeout, abort or too much output. Settles once the process has ended.
 *
 * @throws `FfmpegFailure`; the error of `onStdout`; or a plain error if this machine is at fault: the program is
 *   missing or cannot start, this process cannot give it the resources that it needs, or the machine stood still until
 *   the timeout.
 */
export async function runLimited(
  program: ConfinedProgram,
  command: FfmpegCommand | readonly string[],
  limits: ProcessLimits,
): Promise<ProcessResult> {
  if (limits.signal?.aborted)
    throw new FfmpegFailure(program, { reason: "aborted", exitCode: null, signal: null, stderr: "" });
  const path = await pathOfProgram(program, limits.confinement);
  const { launchers, ...resources } = await confine(limits);
  const { command: name, directory } = inIsolation(limits.confinement, path);
  const start: ProgramStart = {
    command: [...launchers, name, ...argumentsOf(command)],
    directory,
    // So that a kill reaches all of it. It must not outlive us.
    hasOwnGroup: launchers.length > 0,
    files: limits.files ?? [],
  };
  return watch(program, start, { ...limits, ...resources });
}

/**
 * fluent-ffmpeg starts a program with our environment and without limits, so it only writes the arguments. The method is
 * not public, but the package is archived, so the method cannot change.
 */
function argumentsOf(command: FfmpegCommand | readonly string[]): readonly string[] {
  if (Array.isArray(command)) return command;
  return (command as unknown as { _getArguments(): string[] })._getArguments();
}

/** The directory of our ffmpeg contains no tesseract. The system's is used. */
async function pathOfProgram(program: ConfinedProgram, { programDirectory }: RunContext["confinement"]) {
  if (program === "tesseract") {
    const path = pathOf(program);
    if (path === null) throw new Error("tesseract was not found. Install it.");
    return path;
  }
  return programDirectory === null ? findProgram(program) : join(programDirectory, program);
}

const maxStderr = 1_000_000;
const maxReportedStderr = 4000;
const maxOpenFiles = 64;

/** The resources that this machine gives to a run. */
type Resources = {
  /** This process cannot grant the run all the resources that it needs. */
  isShort: boolean;
  /** The run reaches its CPU limit before its timeout. So a timeout means that the machine stood still. */
  mayStall: boolean;
};

/** Returns the commands that start the program under its limits. */
async function confine(limits: ProcessLimits): Promise<{ launchers: string[] } & Resources> {
  const { isolated, endingWithUs, prlimit } = limits.confinement;
  const isJailed = isolated.length > 0;
  const launchers = isJailed ? [...isolated] : [...endingWithUs];
  const limiter = isJailed ? [] : prlimit === null ? null : [prlimit];
  if (limiter === null) return { launchers, isShort: false, mayStall: false };
  const hard = await readHardLimits();
  const bounds = [
    { name: "as", wanted: limits.maxMemoryBytes, max: hard.memoryBytes },
    { name: "cpu", wanted: limits.maxCpuSeconds, max: hard.cpuSeconds },
    { name: "fsize", wanted: limits.maxFileBytes, max: hard.fileBytes },
    { name: "nofile", wanted: maxOpenFiles, max: hard.openFiles },
  ];
  const options = bounds.map(({ name, wanted, max }) => `--${name}=${Math.min(wanted, max)}`);
  const descriptors = [`--descriptors=${limits.files?.length ?? 0}`];
  return {
    launchers: [...launchers, ...limiter, ...(isJailed ? descriptors : []), ...options, "--core=0"],
    isShort: bounds.some(({ wanted, max }) => max < wanted),
    mayStall: limits.maxCpuSeconds * 1000 < limits.timeoutMs,
  };
}

const passedLimits: ReadonlySet<StopReason> = new Set(["timeout", "output-too-large"]);

type StopReason = FfmpegFailureReason | "complete";

/** How a process ended. `stopped`: why we killed it, if we did. */
type ProcessEnd = {
  stopped: StopReason | undefined;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
};

function watch(program: string, start: ProgramStart, limits: ProcessLimits & Resources): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    const kept: Buffer[] = [];
    let stdoutBytes = 0;
    let stderr = "";
    let stopped: StopReason | undefined;
    let thrown: { error: unknown } | undefined;
    const stop = (reason: StopReason) => {
      stopped ??= reason;
      started.kill();
    };
    const onAbort = () => stop("aborted");
    const stopWatching = () => {
      clearTimeout(timer);
      limits.signal?.removeEventListener("abort", onAbort);
    };
    const started = (limits.confinement.start ?? startProgram)(start, {
      output(chunk) {
        if (stopped) return;
        stdoutBytes += chunk.length;
        if (stdoutBytes > limits.maxStdoutBytes) return stop("output-too-large");
        if (!limits.onStdout) return void kept.push(chunk);
        try {
          if (limits.onStdout(chunk)) stop("complete");
        } catch (error) {
          thrown = { error };
          stop("exit");
        }
      },
      warning(text) {
        stderr += text;
        // Cutting at every line would copy the whole text for each line of a decoder that prints many warnings.
        if (stderr.length > 2 * maxStderr) stderr = stderr.slice(-maxStderr);
      },
      failed(error) {
        stopWatching();
        reject(error);
      },
      ended(exitCode, signal) {
        stopWatching();
        if (thrown) return reject(thrown.error);
        const succeeded = stopped === "complete" || (!stopped && exitCode === 0 && !limits.failure?.test(stderr));
        if (succeeded) return resolve({ stdout: Buffer.concat(kept), stderr });
        if (stopped ? passedLimits.has(stopped) : signal) limits.confinement.onKilled?.();
        reject(errorOf(program, { stopped, exitCode, signal, stderr }, limits));
      },
    });
    const timer = setTimeout(() => stop("timeout"), limits.timeoutMs);
    limits.signal?.addEventListener("abort", onAbort, { once: true });
    if (limits.signal?.aborted) onAbort();
  });
}

/** Returns the error of a failed run: an `FfmpegFailure`, or a plain error if this machine is at fault. */
function errorOf(program: string, { stopped, exitCode, signal, stderr }: ProcessEnd, resources: Resources): Error {
  const end = stderr.slice(-maxReportedStderr);
  if (!stopped && !signal && cannotStart(exitCode, stderr)) return new MachineFault(`${program} cannot start: ${end}`);
  if (!stopped && resources.isShort && (signal || resourceErrors.test(stderr)))
    return new MachineFault(`${program} has too few resources on this machine (signal ${signal}): ${end}`);
  if (stopped === "timeout" && resources.mayStall)
    return new Error(`${program} got too little time on this machine: ${end}`);
  const reason = stopped === undefined || stopped === "complete" ? "exit" : stopped;
  return new FfmpegFailure(program, { reason, exitCode, signal, stderr: end });
}

/**
 * Returns whether a launcher or the loader failed, which no input can cause. They use the exit codes 126 and 127, or 1
 * as ffmpeg does; but only a launcher prints its own name first.
 */
function cannotStart(exitCode: number | null, stderr: string): boolean {
  return exitCode === 126 || exitCode === 127 || /^(launch-confined|unshare|setpriv|prlimit): /.test(stderr);
}

const resourceErrors = /Cannot allocate memory|File too large|Too many open files/;

/** The hard resource limits of this process, which its child processes inherit. Infinity means no limit. */
export type HardLimits = { memoryBytes: number; cpuSeconds: number; fileBytes: number; openFiles: number };

/** Reads the limits each time, because another process may lower them. Throws if the kernel does not return them. */
async function readHardLimits(): Promise<HardLimits> {
  const text = await readFile("/proc/self/limits", "latin1").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return parseHardLimits(text);
}

/** Parses Linux's `/proc/self/limits`: a table of name, soft limit, hard limit and unit. */
export function parseHardLimits(text: string): HardLimits {
  const hard = (name: string) => {
    const value = new RegExp(`^${name}\\s+\\S+\\s+(\\d+)`, "m").exec(text)?.[1];
    return value === undefined ? Number.POSITIVE_INFINITY : Number(value);
  };
  return {
    memoryBytes: Math.min(hard("Max address space"), hard("Max data size")),
    cpuSeconds: hard("Max cpu time"),
    fileBytes: hard("Max file size"),
    openFiles: hard("Max open files"),
  };
}

/** Why a run failed. `timeout` and `output-too-large`: it exceeded one of our limits and was killed. */
export type FfmpegFailureReason = "exit" | "timeout" | "aborted" | "output-too-large";

type FailureFacts = {
  reason: FfmpegFailureReason;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** The last few thousand printed characters. For the log only. */
  stderr: string;
};

/** A run of ffmpeg or ffprobe that failed or was killed. Callers of the API never see it. */
export class FfmpegFailure extends Error {
  readonly reason: FfmpegFailureReason;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;

  constructor(program: string, facts: FailureFacts) {
    super(`${program}: ${facts.reason} (exit code ${facts.exitCode}, signal ${facts.signal})`);
    this.name = "FfmpegFailure";
    this.reason = facts.reason;
    this.exitCode = facts.exitCode;
    this.signal = facts.signal;
    this.stderr = facts.stderr;
  }
}
