import { setTimeout as sleep } from "node:timers/promises";
import { listProcesses } from "../../process-tree.ts";

/** The processes that should run, and the pids of all process group leaders of the run. */
type Processes = {
  running: readonly { name: string; pid: number }[];
  leaders: readonly number[];
  /** The processes that ended in a wrong way, one line each. */
  wrongExits: readonly string[];
  /** How long a child may take to end, in milliseconds; by default 20,000. */
  timeoutMs?: number;
};

// A child may still write its last bytes when its parent dies or when the client closes the connection. The emulator
// reads all pictures of a question, even if no client waits for the answer.
const endingMs = 60_000;
const everyMs = 500;

/** Returns the faults of the processes of a quiet service: missing, zombie, stopped or orphaned, one line each. */
export async function processFaults(processes: Processes): Promise<string[]> {
  const until = Date.now() + (processes.timeoutMs ?? endingMs);
  for (;;) {
    const faults = await faultsNow(processes);
    if (faults.length === processes.wrongExits.length || Date.now() > until) return faults;
    await sleep(everyMs);
  }
}

async function faultsNow({ running, leaders, wrongExits }: Processes): Promise<string[]> {
  const seen = await listProcesses();
  const byPid = new Map(seen.map((each) => [each.pid, each]));
  const should = new Map(running.map(({ name, pid }) => [pid, name]));
  const gone = running.filter(({ pid }) => !byPid.has(pid) || byPid.get(pid)?.state.startsWith("Z"));
  const stopped = running.filter(({ pid }) => isStopped(byPid.get(pid)?.state));
  // All other leaders have ended. A process with the pid of one is a new process: the kernel reuses a pid only when its
  // group is empty.
  const groups = new Set(leaders.filter((pid) => should.has(pid) || !byPid.has(pid)));
  const children = seen.filter(({ pid, group, parent }) => {
    return !should.has(pid) && (groups.has(group) || should.has(parent));
  });
  return [
    ...wrongExits,
    ...gone.map(({ name, pid }) => `${name} (pid ${pid}) is gone`),
    ...stopped.map(({ name, pid }) => `${name} (pid ${pid}) is stopped`),
    ...children.map(({ pid, parent, state, command }) => {
      const whose = should.get(parent) ?? `pid ${parent}`;
      const how = state.startsWith("Z") ? "a zombie" : isStopped(state) ? "stopped and orphaned" : "orphaned";
      return `${command} (pid ${pid}) is ${how}, a child of ${whose}`;
    }),
  ];
}

function isStopped(state: string | undefined): boolean {
  return /^[Tt]/.test(state ?? "");
}
