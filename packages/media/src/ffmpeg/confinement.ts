import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

/** What the operating system holds ffmpeg to: commands that start the command which follows them. */
export type Confinement = {
  /** Starts it where there is no network; empty where this platform or this account may not do that. */
  withoutNetwork: readonly string[];
  /** Starts it so that it ends when we do, however we end; empty where the platform knows no such thing. */
  endingWithUs: readonly string[];
  /** Path of `prlimit`; null where there is none, so that only time and output are bounded. */
  prlimit: string | null;
};

let found: Promise<Confinement> | undefined;

/**
 * What can be had here. Found out by trying, once for the process: whether a network namespace may be made depends on
 * the account, the kernel's settings and the container, and nothing else tells for certain.
 */
export function findConfinement(): Promise<Confinement> {
  found ??= tryOut();
  return found;
}

async function tryOut(): Promise<Confinement> {
  const unshare = pathOf("unshare");
  const setpriv = pathOf("setpriv");
  return {
    withoutNetwork: await firstThatWorks(unshare, [["-n"], ["-U", "-r", "-n"]]),
    endingWithUs: await firstThatWorks(setpriv, [["--pdeathsig", "KILL"]]),
    prlimit: pathOf("prlimit"),
  };
}

async function firstThatWorks(
  program: string | null,
  ways: readonly (readonly string[])[],
): Promise<readonly string[]> {
  if (program === null) return [];
  for (const args of ways) if (await works([program, ...args])) return [program, ...args];
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
