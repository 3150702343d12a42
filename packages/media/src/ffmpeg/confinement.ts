import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

/** How this machine can confine ffmpeg. Each list is the start of a command line that ends with the command to run. */
export type Confinement = {
  /** Runs a command with the rights to create namespaces. Empty if this account has them, or cannot get them. */
  asNamespaceOwner: readonly string[];
  /**
   * Runs a command that is killed when this process ends, for whatever reason. Empty if the platform cannot do that.
   */
  endingWithUs: readonly string[];
  /** Runs a command without network access. Empty if the platform or this account cannot do that. */
  withoutNetwork: readonly string[];
  /** `withoutNetwork` also hides all other processes, with their environments, and gives up all rights of root. */
  seesNoProcesses: boolean;
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
  const setpriv = pathOf("setpriv");
  return {
    ...(await findNamespaces(pathOf("unshare"), setpriv)),
    endingWithUs: await endingWithUs(setpriv),
    programDirectory: programDirectory || null,
    prlimit: pathOf("prlimit"),
  };
}

/** Returns the commands that start every run, in their order, without its limits. */
export function launchersOf({ asNamespaceOwner, endingWithUs, withoutNetwork }: Confinement): string[] {
  // The rights of a namespace's owner reset the signal for the parent's death.
  return [...asNamespaceOwner, ...endingWithUs, ...withoutNetwork];
}

type Namespaces = Pick<Confinement, "asNamespaceOwner" | "withoutNetwork" | "seesNoProcesses">;

/** The first namespaces that this account may create: without network and processes if possible, as itself if it may. */
async function findNamespaces(unshare: string | null, setpriv: string | null): Promise<Namespaces> {
  if (unshare === null) return { asNamespaceOwner: [], withoutNetwork: [], seesNoProcesses: false };
  // `--fork` is needed for a namespace of processes. The child is killed with its parent.
  const isolated = [unshare, "-n", "-m", "-p", "--fork", "--kill-child=KILL", "--mount-proc"];
  const withoutRights = setpriv ? [setpriv, "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"] : [];
  const owners = [[], [unshare, "-U", "-r"]];
  for (const asNamespaceOwner of setpriv ? owners : []) {
    const withoutNetwork = [...isolated, ...withoutRights];
    if (await works([...asNamespaceOwner, ...withoutNetwork]))
      return { asNamespaceOwner, withoutNetwork, seesNoProcesses: true };
  }
  for (const asNamespaceOwner of owners) {
    const withoutNetwork = [unshare, "-n"];
    if (await works([...asNamespaceOwner, ...withoutNetwork]))
      return { asNamespaceOwner, withoutNetwork, seesNoProcesses: false };
  }
  return { asNamespaceOwner: [], withoutNetwork: [], seesNoProcesses: false };
}

async function endingWithUs(setpriv: string | null): Promise<readonly string[]> {
  const command = setpriv === null ? [] : [setpriv, "--pdeathsig", "KILL"];
  return command.length > 0 && (await works(command)) ? command : [];
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
