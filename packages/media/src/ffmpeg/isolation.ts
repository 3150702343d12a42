import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** What keeps a run of ffmpeg apart from everything else on this machine. */
export type Isolation = {
  /** Runs a command with the rights to create namespaces. Empty if this account has them, or cannot get them. */
  asNamespaceOwner: readonly string[];
  /** Runs a command with all that follows. Empty if the platform or this account can do nothing of it. */
  isolated: readonly string[];
  /** It has no network access. */
  withoutNetwork: boolean;
  /** It sees no other processes, with their environments, and has no rights of root. */
  seesNoProcesses: boolean;
  /** It sees no files but those of `view.fstab` and those that are handed over. Its own directory is `/program`. */
  seesNoFiles: boolean;
  /** It is a user of its own, who owns nothing. Only a worker that runs as root can do that. */
  hasOwnUser: boolean;
  /**
   * `isolated` is one start of `launch-confined`, which also takes the options of prlimit and ends with this process. Else
   * these are further starts.
   */
  isOneStart: boolean;
  /** Why the better isolations failed: each reason once. */
  failures: readonly string[];
};

/** The user `nobody` on every Linux: also a worker in a container has this number. */
const ownUser = 65_534;

/**
 * Finds the best isolation of which a trial succeeds. What may be created depends on the account, the settings of the
 * kernel and the container.
 *
 * @param programs are the paths of the programs. They print their versions in the trials.
 * @param launcher is the path of `launch-confined`, if it was built.
 */
export async function findIsolation(programs: readonly string[], launcher: string | null): Promise<Isolation> {
  const failures: string[] = [];
  for (const candidate of candidates(launcher)) {
    const tried = await Promise.all(programs.map((program) => tryIsolation(candidate, program)));
    const failure = tried.find((outcome) => outcome !== undefined);
    if (failure === undefined) return { ...candidate, failures };
    if (!failures.includes(failure)) failures.push(failure);
  }
  return { ...none, failures };
}

type Candidate = Omit<Isolation, "failures">;

const none: Candidate = {
  ...{ asNamespaceOwner: [], isolated: [] },
  ...{ withoutNetwork: false, seesNoProcesses: false, seesNoFiles: false, hasOwnUser: false, isOneStart: false },
};

const complete = { withoutNetwork: true, seesNoProcesses: true, seesNoFiles: true, isOneStart: false };

/** Returns the path of a program of the system, or null. */
export function pathOf(program: string): string | null {
  const folders = ["/usr/bin", "/usr/sbin", "/bin", "/sbin"];
  return folders.map((folder) => `${folder}/${program}`).find((path) => existsSync(path)) ?? null;
}

/** The isolations of this platform, the best first. */
function candidates(launcher: string | null): Candidate[] {
  const unshare = pathOf("unshare");
  const setpriv = pathOf("setpriv");
  const isRoot = process.getuid?.() === 0;
  // A change of the user resets the signal for the parent's death.
  const asOwnUser = ["--pdeathsig=KILL", `--reuid=${ownUser}`, `--regid=${ownUser}`, "--clear-groups"];
  // This account, and this account as the owner of a namespace of users.
  const owners = unshare ? [[], [unshare, "-U", "-r"]] : [];
  // `--fork` is needed for a namespace of processes. The child is killed with its parent.
  const namespaces = [unshare ?? "", "-n", "-i", "-m", "-p", "--fork", "--kill-child=KILL"];
  const found: Candidate[] = [];
  for (const asNamespaceOwner of launcher ? owners : []) {
    const hasOwnUser = isRoot && asNamespaceOwner.length === 0;
    const isolated = [launcher ?? "", ...(hasOwnUser ? [`--user=${ownUser}`] : [])];
    found.push({ ...complete, asNamespaceOwner, isolated, hasOwnUser, isOneStart: true });
  }
  for (const seesNoFiles of setpriv ? [true, false] : [])
    for (const asNamespaceOwner of owners) {
      const hasOwnUser = isRoot && asNamespaceOwner.length === 0;
      const view = seesNoFiles ? inView() : ["--mount-proc"];
      const drop = [setpriv ?? "", ...(hasOwnUser ? asOwnUser : []), "--bounding-set=-all", "--inh-caps=-all"];
      const isolated = [...namespaces, ...view, ...drop, "--no-new-privs"];
      found.push({ ...complete, asNamespaceOwner, isolated, seesNoFiles, hasOwnUser });
    }
  for (const asNamespaceOwner of owners)
    found.push({ ...none, asNamespaceOwner, isolated: [unshare ?? "", "-n"], withoutNetwork: true });
  // The rights of root that a container leaves often suffice for this.
  if (isRoot && setpriv) found.push({ ...none, isolated: [setpriv, ...asOwnUser, "--no-new-privs"], hasOwnUser: true });
  return found;
}

/** Returns the command that mounts the view in its own namespace and runs the rest of the command line there. */
function inView(): string[] {
  const table = fileURLToPath(new URL("./view.fstab", import.meta.url));
  const script = `${pathOf("mount")} -n -a -T "$0" || exit 126; exec ${pathOf("chroot")} /mnt "$@"`;
  return ["/bin/sh", "-c", script, table];
}

/** Returns undefined if the program runs so, or a line that says why not. */
async function tryIsolation(candidate: Candidate, program: string): Promise<string | undefined> {
  const { command, directory } = inIsolation(candidate, program);
  const [launcher = "", ...args] = [...candidate.asNamespaceOwner, ...candidate.isolated, command, "-version"];
  const options = { timeout: 10_000, env: { LC_ALL: "C" }, cwd: directory };
  return new Promise((resolve) => {
    execFile(launcher, args, options, (error, _stdout, stderr) => {
      if (!error) return resolve(undefined);
      resolve(stderr.trim().split("\n")[0] || error.message);
    });
  });
}

/** Returns the name that a program has in its isolation, and the directory in which its command line has to start. */
export function inIsolation({ seesNoFiles }: Candidate, program: string): { command: string; directory?: string } {
  if (!seesNoFiles) return { command: program };
  // What a link leads to may be in a directory that is not visible.
  const path = existsSync(program) ? realpathSync(program) : program;
  return { command: `/program/${basename(path)}`, directory: dirname(path) };
}
