import { type ExecFileException, execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The means that isolate a run of ffmpeg from everything else on this machine. */
export type Isolation = {
  /** Runs a command with the right to create namespaces. Empty if this account has that right, or cannot get it. */
  asNamespaceOwner: readonly string[];
  /** Runs a command with all of the following isolations. Empty if the platform or this account can do none of them. */
  isolated: readonly string[];
  /** The command has no network access. */
  withoutNetwork: boolean;
  /** The command sees no other processes or their environments, and does not have the rights of root. */
  seesNoProcesses: boolean;
  /** It sees only the system's programs and libraries, and the files that it receives. */
  seesNoFiles: boolean;
  /** It sees the files of `view.fstab` instead of the machine's. Its own directory is `/program`. */
  hasView: boolean;
  /** It runs as a separate user who owns no files. Only a worker that runs as root can do that. */
  hasOwnUser: boolean;
  /**
   * `isolated` is `launch-confined`: it opens no socket, starts no program, and has no descriptor but those that it
   * receives. The launcher also takes the options of prlimit and ends with this process. Otherwise, `isolated` is a chain
   * of commands.
   */
  isJailed: boolean;
  /** Why the better isolations failed, each reason once. */
  failures: readonly string[];
};

/** The user `nobody` on every Linux. A worker in a container has this number too. */
const ownUser = 65_534;

/**
 * Finds the best isolation that works in a trial. The possible isolations depend on the account, the settings of the
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
  ...{ asNamespaceOwner: [], isolated: [], isJailed: false, withoutNetwork: false },
  ...{ seesNoProcesses: false, seesNoFiles: false, hasView: false, hasOwnUser: false },
};

const complete = { withoutNetwork: true, seesNoProcesses: true, seesNoFiles: true, hasView: true, isJailed: false };

/** Returns the path of a program of the system, or null. */
export function pathOf(program: string): string | null {
  const folders = ["/usr/bin", "/usr/sbin", "/bin", "/sbin"];
  return folders.map((folder) => `${folder}/${program}`).find((path) => existsSync(path)) ?? null;
}

/** The isolations of this platform, best first. */
function candidates(launcher: string | null): Candidate[] {
  const unshare = pathOf("unshare");
  const setpriv = pathOf("setpriv");
  const isRoot = process.getuid?.() === 0;
  // Changing the user resets the signal for the parent's death.
  const asOwnUser = ["--pdeathsig=KILL", `--reuid=${ownUser}`, `--regid=${ownUser}`, "--clear-groups"];
  // This account, and this account as the owner of a user namespace.
  const owners = unshare ? [[], [unshare, "-U", "-r"]] : [];
  // A process namespace needs `--fork`. The child is killed with its parent.
  const namespaces = [unshare ?? "", "-n", "-i", "-m", "-p", "--fork", "--kill-child=KILL"];
  const found: Candidate[] = [];
  if (launcher) found.push(...jails(launcher, owners, isRoot));
  for (const asNamespaceOwner of setpriv ? owners : []) {
    const hasOwnUser = isRoot && asNamespaceOwner.length === 0;
    const drop = [setpriv ?? "", ...(hasOwnUser ? asOwnUser : []), "--bounding-set=-all", "--inh-caps=-all"];
    const isolated = [...namespaces, ...inView(), ...drop, "--no-new-privs"];
    found.push({ ...complete, asNamespaceOwner, isolated, hasOwnUser });
  }
  for (const asNamespaceOwner of owners)
    found.push({ ...none, asNamespaceOwner, isolated: [unshare ?? "", "-n"], withoutNetwork: true });
  // The rights that root has in a container often suffice for this.
  if (isRoot && setpriv) found.push({ ...none, isolated: [setpriv, ...asOwnUser, "--no-new-privs"], hasOwnUser: true });
  return found;
}

/** The ways in which the launcher can run a program. All of them need seccomp. */
function jails(launcher: string, owners: readonly (readonly string[])[], isRoot: boolean): Candidate[] {
  const inNamespaces = owners.map((asNamespaceOwner) => {
    return { asNamespaceOwner, hasView: true, hasOwnUser: isRoot && asNamespaceOwner.length === 0 };
  });
  const users = isRoot ? [true, false] : [false];
  const ways = [...inNamespaces, ...users.map((hasOwnUser) => ({ asNamespaceOwner: [], hasView: false, hasOwnUser }))];
  return [true, false].flatMap((hasLandlock) =>
    ways.map((way) => {
      const options = [
        way.hasView && "--namespaces",
        way.hasOwnUser && `--user=${ownUser}`,
        !hasLandlock && "--no-landlock",
      ];
      const isolated = [launcher, ...options.filter((option) => option !== false)];
      const hidden = hasLandlock || way.hasView;
      return { ...way, isolated, isJailed: true, withoutNetwork: true, seesNoProcesses: hidden, seesNoFiles: hidden };
    }),
  );
}

/** Returns the command that mounts the view in its own namespace and runs the rest of the command line there. */
function inView(): string[] {
  const table = fileURLToPath(new URL("./view.fstab", import.meta.url));
  const script = `${pathOf("mount")} -n -a -T "$0" || exit 126; exec ${pathOf("chroot")} /mnt "$@"`;
  return ["/bin/sh", "-c", script, table];
}

/** Returns undefined if the program runs in this way, and a jail refuses all that it has to; otherwise the reason. */
async function tryIsolation(candidate: Candidate, program: string): Promise<string | undefined> {
  const { command, directory } = inIsolation(candidate, program);
  const [launcher = "", ...args] = [...candidate.asNamespaceOwner, ...candidate.isolated];
  const options = { timeout: 10_000, env: { LC_ALL: "C" }, cwd: directory };
  const start = (...more: string[]) =>
    new Promise<{ error?: ExecFileException; reason?: string }>((resolve) => {
      execFile(launcher, [...args, ...more], options, (error, _stdout, stderr) =>
        resolve(error ? { error, reason: stderr.trim().split("\n")[0] || error.message } : {}),
      );
    });
  const { reason } = await start(command, "-version");
  if (reason !== undefined || !candidate.isJailed) return reason;
  const proof = await start(`--prove=${process.pid}`, command);
  return proof.error?.signal === "SIGSYS" ? undefined : (proof.reason ?? "launch-confined proves nothing");
}

/** Returns the name that a program has in its isolation, and the directory in which its command line has to start. */
export function inIsolation({ hasView }: Candidate, program: string): { command: string; directory?: string } {
  if (!hasView) return { command: program };
  // The target of a link may be in a directory that is not visible.
  const path = existsSync(program) ? realpathSync(program) : program;
  return { command: `/program/${basename(path)}`, directory: dirname(path) };
}
