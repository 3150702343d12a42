import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "./find-program.ts";
import { findIsolation, type Isolation, pathOf } from "./isolation.ts";
import type { StartProgram } from "./start-program.ts";

/**
 * The commands with which this machine can confine ffmpeg. Each list is the start of a command line and needs the
 * command to run at its end.
 */
export type Confinement = Isolation & {
  /** Runs a command that is killed when this process ends, for any reason. Empty if the platform cannot do that. */
  endingWithUs: readonly string[];
  /** Directory of ffmpeg and ffprobe. Null for those on `PATH`. */
  programDirectory: string | null;
  /** Called for each run that is killed because it passes a limit. */
  onKilled?: (() => void) | undefined;
  /** Starts the programs; from this process, if not given. */
  start?: StartProgram | undefined;
  /** Path of `prlimit`. Null on a machine without it; then only time and output are limited. */
  prlimit: string | null;
};

/** The confinement and limits that all runs of ffmpeg for one video share. */
export type RunContext = {
  confinement: Confinement;
  /** Kills the run. */
  signal?: AbortSignal | undefined;
};

/**
 * Tries out how this machine can confine ffmpeg: whether a network namespace may be created depends on the account, the
 * kernel's settings and the container. Call it once, when the process starts, and pass on the result.
 *
 * @param options `programDirectory`: where ffmpeg and ffprobe are, if not on `PATH`. `programs`: those that will run;
 *   both by default.
 * @example const confinement = await findConfinement(); await measure(path, { maxVideoSeconds: 600, confinement });
 */
export async function findConfinement({
  programDirectory,
  programs: names = ["ffmpeg", "ffprobe"],
}: {
  programDirectory?: string | undefined;
  programs?: readonly ("ffmpeg" | "ffprobe")[];
} = {}): Promise<Confinement> {
  // `findProgramFaults` reports missing programs.
  const pathOrName = (name: "ffmpeg" | "ffprobe") =>
    programDirectory ? join(programDirectory, name) : findProgram(name).catch(() => name);
  const programs = await Promise.all(names.map(pathOrName));
  return {
    ...(await findIsolation(programs, programDirectory ? findLauncher(programDirectory) : null)),
    endingWithUs: await endingWithUs(pathOf("setpriv")),
    programDirectory: programDirectory || null,
    prlimit: pathOf("prlimit"),
  };
}

/**
 * Returns the path of the launcher that `scripts/build-minimal-ffmpeg` puts beside the programs, or null if it is not
 * there.
 */
function findLauncher(programDirectory: string): string | null {
  const path = join(programDirectory, "launch-confined");
  return existsSync(path) ? path : null;
}

/**
 * Returns the missing parts of ffmpeg's confinement, for the log: one line each; an empty list if it is fully confined.
 */
export function gapsOf(confinement: Confinement): string[] {
  const { isolated, seesNoFiles, hasOwnUser, prlimit } = confinement;
  const isJailed = isolated.length > 0;
  const gaps = [
    !isJailed && "only the list of protocols prevents network access",
    !seesNoFiles && "it can see the processes of this machine",
    !seesNoFiles && "it can see the directories of this machine",
    !seesNoFiles && !hasOwnUser && "it has the rights of this worker",
    !isJailed && "it can call every function of the kernel, and start other programs",
    prlimit === null && !isJailed && "only its time and its output are limited",
  ];
  return gaps.filter((gap) => gap !== false);
}

/** Returns what the operator reads if the settings require what `gapsOf` misses. */
export function describeGaps(confinement: Confinement): string {
  return [
    "REQUIRE_CONFINEMENT is on, but ffmpeg is not fully confined:",
    ...[...gapsOf(confinement), ...confinement.failures].map((line) => `- ${line}`),
    "The confinement needs `launch-confined` in FFMPEG_DIRECTORY (./scripts/build-minimal-ffmpeg), and Linux 5.13 or later",
    "with Landlock (`landlock` in /sys/kernel/security/lsm), which a container may use (Docker 23 or later).",
    "REQUIRE_CONFINEMENT=off starts the worker with these gaps. An ffmpeg that a video has taken over can use them.\n",
  ].join("\n");
}

async function endingWithUs(setpriv: string | null): Promise<readonly string[]> {
  const command = setpriv === null ? [] : [setpriv, "--pdeathsig", "KILL"];
  return command.length > 0 && (await works(command)) ? command : [];
}

async function works([program = "", ...args]: readonly string[]): Promise<boolean> {
  return promisify(execFile)(program, [...args, "true"], { timeout: 5000, env: { PATH: "/usr/bin:/bin" } }).then(
    () => true,
    () => false,
  );
}
