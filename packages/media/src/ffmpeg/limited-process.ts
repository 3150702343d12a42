import type { ChildProcess, SpawnOptions } from "node:child_process";
import type { FfmpegCommand } from "fluent-ffmpeg";
import { type Confinement, findConfinement } from "./confinement.ts";
import { FfmpegFailure, type FfmpegFailureReason } from "./ffmpeg-failure.ts";
import { readHardLimits } from "./hard-limits.ts";

/** What a run may use. Memory, CPU and file size are held by the kernel where `prlimit` is at hand (Linux), as is the network. */
export type ProcessLimits = {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  maxMemoryBytes: number;
  maxCpuSeconds: number;
  /** Largest file it may write; 0 for none. */
  maxFileBytes: number;
  maxStdoutBytes: number;
  /** Given, standard output is handed over as it comes and not kept; answer true to end the run there, as a success. */
  onStdout?: ((chunk: Buffer) => boolean) | undefined;
};

/** What a run printed; `stdout` is empty when it was handed over, `stderr` is at most its last 2 million characters. */
export type ProcessResult = { stdout: Buffer; stderr: string };

/**
 * Starts the command that fluent-ffmpeg built and holds it to its limits: killed with SIGKILL on time-out, abort or too
 * much output. Settles once the process has ended. Throws `FfmpegFailure`, what `onStdout` throws, or a plain error where
 * this machine is at fault: the program is missing, cannot start, was given less than it should have had, or ran out of
 * time before it had used the lesser CPU time that it may.
 */
export async function runLimited(
  program: "ffmpeg" | "ffprobe",
  command: FfmpegCommand,
  limits: ProcessLimits,
): Promise<ProcessResult> {
  if (limits.signal?.aborted)
    throw new FfmpegFailure(program, { reason: "aborted", exitCode: null, signal: null, stderr: "" });
  // fluent-ffmpeg's own `run` and `ffprobe` give no environment, no output as it comes and no limits; these do.
  const opened = command as unknown as OpenedCommand;
  const path = await findProgram(program, opened);
  const { launchers, ...given } = await confine(await findConfinement(), limits);
  const [launcher, ...prefix] = [...launchers, path];
  opened._getFfmpegPath = (done) => done(null, launcher ?? path);
  return new Promise((resolve, reject) => {
    let watching = false;
    try {
      opened._spawnFfmpeg(
        [...prefix, ...opened._getArguments()],
        // Nothing of our environment, secrets least of all, is any business of a decoder of strangers' bytes.
        { env: { LC_ALL: "C", AV_LOG_FORCE_NOCOLOR: "1" }, stdio: ["ignore", "pipe", "pipe"], windowsHide: true },
        (started) => {
          watching = true;
          watch(program, started, { ...limits, ...given }).then(resolve, reject);
        },
        // Once it is watched, how it ends is seen on the process itself.
        (error) => watching || reject(error),
      );
    } catch (error) {
      // Out of descriptors, fluent-ffmpeg trips over the pipes it did not get; why it got none is told on the next tick.
      setImmediate(reject, error);
    }
  });
}

/** The parts of a fluent-ffmpeg 2.1.3 command that its types leave out. It is archived: they will not change. */
type OpenedCommand = {
  _getFfmpegPath(done: (error: Error | null, path: string) => void): void;
  _getFfprobePath(done: (error: Error | null, path: string) => void): void;
  _getArguments(): string[];
  _spawnFfmpeg(
    args: string[],
    options: SpawnOptions,
    onStart: (started: ChildProcess) => void,
    onEnd: (error?: Error) => void,
  ): void;
};

const stderrKept = 1_000_000;
const stderrTail = 4000;

function findProgram(program: "ffmpeg" | "ffprobe", command: OpenedCommand): Promise<string> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, path: string) =>
      path ? resolve(path) : reject(new Error(`${program} was not found: install it`, { cause: error }));
    if (program === "ffmpeg") command._getFfmpegPath(done);
    else command._getFfprobePath(done);
  });
}

/**
 * The commands to start it with; `isShort` where this process may not give it as much as it should have, `mayStall` where
 * only a machine that stands still can use up its time.
 */
async function confine(
  { withoutNetwork, endingWithUs, prlimit }: Confinement,
  { timeoutMs, maxMemoryBytes, maxCpuSeconds, maxFileBytes }: ProcessLimits,
): Promise<{ launchers: string[] } & Given> {
  // In this order: a new name space forgets whom to end with.
  const placed = [...withoutNetwork, ...endingWithUs];
  if (prlimit === null) return { launchers: placed, isShort: false, mayStall: false };
  const hard = await readHardLimits();
  const bounds = [
    { name: "as", wanted: maxMemoryBytes, most: hard.memoryBytes },
    { name: "cpu", wanted: maxCpuSeconds, most: hard.cpuSeconds },
    { name: "fsize", wanted: maxFileBytes, most: hard.fileBytes },
    { name: "nofile", wanted: mostOpenFiles, most: hard.openFiles },
  ];
  const options = bounds.map(({ name, wanted, most }) => `--${name}=${Math.min(wanted, most)}`);
  return {
    launchers: [...placed, prlimit, ...options, "--core=0"],
    isShort: bounds.some(({ wanted, most }) => most < wanted),
    mayStall: maxCpuSeconds * 1000 < timeoutMs,
  };
}

type Given = { isShort: boolean; mayStall: boolean };

const mostOpenFiles = 64;

function watch(program: string, started: ChildProcess, limits: ProcessLimits & Given): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    const kept: Buffer[] = [];
    let stdoutBytes = 0;
    let stderr = "";
    let stopped: FfmpegFailureReason | "enough" | undefined;
    let thrown: { error: unknown } | undefined;
    const stop = (why: FfmpegFailureReason | "enough") => {
      stopped ??= why;
      started.kill("SIGKILL");
    };
    const onAbort = () => stop("aborted");
    const timer = setTimeout(() => stop("timeout"), limits.timeoutMs);
    limits.signal?.addEventListener("abort", onAbort, { once: true });
    if (limits.signal?.aborted) onAbort();
    const settle = () => {
      clearTimeout(timer);
      limits.signal?.removeEventListener("abort", onAbort);
    };

    started.stdout?.on("data", (chunk: Buffer) => {
      if (stopped) return;
      stdoutBytes += chunk.length;
      if (stdoutBytes > limits.maxStdoutBytes) return stop("output-too-large");
      if (!limits.onStdout) return void kept.push(chunk);
      try {
        if (limits.onStdout(chunk)) stop("enough");
      } catch (error) {
        thrown = { error };
        stop("exit");
      }
    });
    started.stderr?.on("data", (text: string) => {
      stderr += text;
      // Cut now and then rather than each time, which would copy it all for every line of a noisy decoder.
      if (stderr.length > 2 * stderrKept) stderr = stderr.slice(-stderrKept);
    });
    started.once("error", (error) => {
      settle();
      reject(error);
    });
    started.once("close", (exitCode, signal) => {
      settle();
      if (thrown) return reject(thrown.error);
      if (stopped === "enough" || (!stopped && exitCode === 0)) return resolve({ stdout: Buffer.concat(kept), stderr });
      const end = stderr.slice(-stderrTail);
      if (!stopped && cannotStart(exitCode, stderr)) return reject(new Error(`${program} cannot start: ${end}`));
      if (!stopped && limits.isShort && (signal || ranOut.test(stderr)))
        return reject(new Error(`${program} has too little of this machine (signal ${signal}): ${end}`));
      if (stopped === "timeout" && limits.mayStall)
        return reject(new Error(`${program} was given too little time by this machine: ${end}`));
      reject(new FfmpegFailure(program, { reason: stopped ?? "exit", exitCode, signal, stderr: end }));
    });
  });
}

/**
 * Whether it was the launchers or the loader that failed, which no input can be blamed for. 126 and 127 are theirs alone;
 * 1 is ffmpeg's as well, but nothing that it or a file says stands at the very beginning like this.
 */
function cannotStart(exitCode: number | null, stderr: string): boolean {
  return exitCode === 126 || exitCode === 127 || /^(unshare|setpriv|prlimit): /.test(stderr);
}

const ranOut = /Cannot allocate memory|File too large|Too many open files/;
