import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** What of processes can be seen: those that should run, and every pid that ever led a group of the trial's. */
type Processes = {
  running: readonly { name: string; pid: number }[];
  leaders: readonly number[];
  /** Those that ended though nobody ended them, in words. */
  endedByThemselves: readonly string[];
  /** How long a child may take to end that is at its last bytes; 20,000 if not given. */
  patienceMs?: number;
};

// A child may be at its last bytes when its parent dies, or when whoever asked for its work hangs up.
const patience = 20_000;
const everyMs = 500;

/** What is wrong with the processes of a quiet service: gone, zombie, or left behind by one that died and still there. */
export async function processFaults(processes: Processes): Promise<string[]> {
  const until = Date.now() + (processes.patienceMs ?? patience);
  for (;;) {
    const faults = await faultsNow(processes);
    if (faults.length === processes.endedByThemselves.length || Date.now() > until) return faults;
    await sleep(everyMs);
  }
}

async function faultsNow({ running, leaders, endedByThemselves }: Processes): Promise<string[]> {
  const seen = await listProcesses();
  const byPid = new Map(seen.map((each) => [each.pid, each]));
  const should = new Map(running.map(({ name, pid }) => [pid, name]));
  const gone = running.filter(({ pid }) => !byPid.has(pid) || byPid.get(pid)?.state.startsWith("Z"));
  const children = seen.filter(({ pid, group, parent }) => {
    return !should.has(pid) && (leaders.includes(group) || should.has(parent));
  });
  return [
    ...endedByThemselves,
    ...gone.map(({ name, pid }) => `${name} (pid ${pid}) is gone`),
    ...children.map(({ pid, parent, state, command }) => {
      const whose = should.get(parent) ?? `pid ${parent}`;
      return `${command} (pid ${pid}) is ${state.startsWith("Z") ? "a zombie" : "left over"}, a child of ${whose}`;
    }),
  ];
}

type Seen = { pid: number; parent: number; group: number; state: string; command: string };

async function listProcesses(): Promise<Seen[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat=,comm="]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => {
      const [pid, parent, group, state = "", ...command] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), group: Number(group), state, command: command.join(" ") };
    });
}
