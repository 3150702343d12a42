import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

/** How this machine can confine ffmpeg. Each list is the start of a command line that ends with the command to run. */
export type Confinement = {
  /** Runs a command without network access. Empty if the platform or this account cannot do that. */
  withoutNetwork: readonly string[];
  /**
   * Runs a command that is killed when this process ends, for whatever reason. Empty if the platform cannot do that.
   */
  endingWithUs: readonly string[];
  /** Directory of ffmpeg and ffprobe. Null for those on `PATH`. */
  programDirectory: string | null;
  /** Path of `prlimit`. Null if there is none; then only time and output are limited. */
  prlimit: string | null;
};

/** What every run of ffmpeg for one video shares. */
export type RunContext = {
  confinement: Confinement;
  /** Kills the run. */
  signal?: AbortSignal | undefined;
};

/**
 * Finds out by trial how this machine can confine ffmpeg: whether a network namespace may be created depends on the
 * account, the kernel's settings and the container. Call it once, when the process starts, and pass the result on.
 *
 * @param options `programDirectory`: where ffmpeg and ffprobe are, if not on `PATH`.
 * @example
 * const confinement = await findConfinement();
 * await measure(path, { maxVideoSeconds: 600, confinement });
 */
export async function findConfinement({
  programDirectory,
}: {
  programDirectory?: string | undefined;
} = {}): Promise<Confinement> {
  const unshare = pathOf("unshare");
  const setpriv = pathOf("setpriv");
  return {
    withoutNetwork: await firstThatWorks(unshare, [["-n"], ["-U", "-r", "-n"]]),
    endingWithUs: await firstThatWorks(setpriv, [["--pdeathsig", "KILL"]]),
    programDirectory: programDirectory || null,
    prlimit: pathOf("prlimit"),
  };
}

async function firstThatWorks(
  program: string | null,
  argumentLists: readonly (readonly string[])[],
): Promise<readonly string[]> {
  if (program === null) return [];
  for (const args of argumentLists) if (await works([program, ...args])) return [program, ...args];
  return [];
}

function pathOf(program: string): string | null {
  return ["/usr/bin", "/bin"].map((folder) => `${folder}/${program}`).find((path) => existsSync(path)) ?? null;
}

async function works([program = "", ...args]: readonly string[]): Promise<boolean> {
  return promisify(execFile)(program, [...args, "true"], { timeout: 5000, env: { PATH: "/usr/bin:/bin" } }).then(
    () => true,
    () => false,
  );
}
