import { type ExecFileException, execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";

/** How `launch-confined` isolates a run of a program from everything else on this machine, if it can. */
export type Isolation = {
  /**
   * Runs a command that opens no socket, starts no program, and has no descriptor but those that it receives. It also
   * takes the limits of a run, and ends with this process. Empty if this machine has no launcher, or forbids what it needs.
   */
  isolated: readonly string[];
  /** The command sees only the system's libraries and the files that it receives, and no other process. */
  seesNoFiles: boolean;
  /** It has namespaces of its own: a network, processes, and a view of the files. Its own directory is `/program`. */
  hasView: boolean;
  /** It runs as a separate user who owns no files. Only a worker that runs as root can do that. */
  hasOwnUser: boolean;
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
  for (const candidate of launcher ? candidates(launcher) : []) {
    const tried = await Promise.all(programs.map((program) => tryIsolation(candidate, program)));
    const failure = tried.find((outcome) => outcome !== undefined);
    if (failure === undefined) return { ...candidate, failures };
    if (!failures.includes(failure)) failures.push(failure);
  }
  return { ...none, failures };
}

type Candidate = Omit<Isolation, "failures">;

const none: Candidate = { isolated: [], seesNoFiles: false, hasView: false, hasOwnUser: false };

/** Returns the path of a program of the system, or null. */
export function pathOf(program: string): string | null {
  const folders = ["/usr/bin", "/usr/sbin", "/bin", "/sbin"];
  return folders.map((folder) => `${folder}/${program}`).find((path) => existsSync(path)) ?? null;
}

/** The ways in which the launcher can run a program, best first. All of them need seccomp. */
function candidates(launcher: string): Candidate[] {
  const unshare = pathOf("unshare");
  const isRoot = process.getuid?.() === 0;
  const users = isRoot ? [true, false] : [false];
  // For an account that may create namespaces, for one that may in a user namespace of its own, and for one that may not.
  const ways = [
    { owner: [], hasView: true, hasOwnUser: isRoot },
    ...(unshare ? [{ owner: [unshare, "-U", "-r"], hasView: true, hasOwnUser: false }] : []),
    ...users.map((hasOwnUser) => ({ owner: [], hasView: false, hasOwnUser })),
  ];
  return [true, false].flatMap((hasLandlock) =>
    ways.map(({ owner, hasView, hasOwnUser }) => {
      const options = [
        hasView && "--namespaces",
        hasOwnUser && `--user=${ownUser}`,
        !hasLandlock && "--no-landlock",
      ].filter((option) => option !== false);
      return { isolated: [...owner, launcher, ...options], seesNoFiles: hasLandlock || hasView, hasView, hasOwnUser };
    }),
  );
}

/** Returns undefined if the program runs in this way, and the jail refuses all that it has to; otherwise the reason. */
async function tryIsolation(candidate: Candidate, program: string): Promise<string | undefined> {
  const { command, directory } = inIsolation(candidate, program);
  const [launcher = "", ...args] = candidate.isolated;
  const options = { timeout: 10_000, env: { LC_ALL: "C" }, cwd: directory };
  const start = (...more: string[]) =>
    new Promise<{ error?: ExecFileException; reason?: string }>((resolve) => {
      execFile(launcher, [...args, ...more], options, (error, _stdout, stderr) =>
        resolve(error ? { error, reason: stderr.trim().split("\n")[0] || error.message } : {}),
      );
    });
  const { reason } = await start(command, "-version");
  if (reason !== undefined) return reason;
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
