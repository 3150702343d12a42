import { setTimeout as sleep } from "node:timers/promises";
import { listProcesses } from "../process-tree.ts";

/** What of processes can be seen: those that should run, and every pid that ever led a group of the trial's. */
type Processes = {
  running: readonly { name: string; pid: number }[];
  leaders: readonly number[];
  /** Those that ended otherwise than they were meant to, in words. */
  wrongEnds: readonly string[];
  /** How long a child may take to end that is at its last bytes; 20,000 if not given. */
  patienceMs?: number;
};

// A child may be at its last bytes when its parent dies, or when whoever asked for its work hangs up.
const patience = 20_000;
const everyMs = 500;

/** What is wrong with the processes of a quiet service: gone, a zombie, stopped, or left behind and still there. */
export async function processFaults(processes: Processes): Promise<string[]> {
  const until = Date.now() + (processes.patienceMs ?? patience);
  for (;;) {
    const faults = await faultsNow(processes);
    if (faults.length === processes.wrongEnds.length || Date.now() > until) return faults;
    await sleep(everyMs);
  }
}

async function faultsNow({ running, leaders, wrongEnds }: Processes): Promise<string[]> {
  const seen = await listProcesses();
  const byPid = new Map(seen.map((each) => [each.pid, each]));
  const should = new Map(running.map(({ name, pid }) => [pid, name]));
  const gone = running.filter(({ pid }) => !byPid.has(pid) || byPid.get(pid)?.state.startsWith("Z"));
  const stopped = running.filter(({ pid }) => isStopped(byPid.get(pid)?.state));
  // All others that led a group have been seen to end. Where one is there again, its number is another's now, which the
  // kernel gives away only once nobody is left in the group.
  const groups = new Set(leaders.filter((pid) => should.has(pid) || !byPid.has(pid)));
  const children = seen.filter(({ pid, group, parent }) => {
    return !should.has(pid) && (groups.has(group) || should.has(parent));
  });
  return [
    ...wrongEnds,
    ...gone.map(({ name, pid }) => `${name} (pid ${pid}) is gone`),
    ...stopped.map(({ name, pid }) => `${name} (pid ${pid}) is stopped`),
    ...children.map(({ pid, parent, state, command }) => {
      const whose = should.get(parent) ?? `pid ${parent}`;
      const how = state.startsWith("Z") ? "a zombie" : isStopped(state) ? "stopped and left over" : "left over";
      return `${command} (pid ${pid}) is ${how}, a child of ${whose}`;
    }),
  ];
}

function isStopped(state: string | undefined): boolean {
  return /^[Tt]/.test(state ?? "");
}
