import { readdirSync, readFileSync } from "node:fs";

/** Seconds of processor time since a process started: its own, and that of its descendants. */
export type ProcessorTime = { own: number; descendants: number };

/** One process of this machine, as /proc shows it. Times are in seconds; `ended` are its descendants that have ended. */
type Seen = { parent: number; own: number; ended: number };

// The unit of /proc/<pid>/stat, which Linux has fixed for user space.
const ticksPerSecond = 100;

/**
 * Returns the processor time of some processes by their ids. Descendants that have ended also count, if their parent
 * has waited for them.
 *
 * @throws an error if there is no /proc (it needs Linux), or if a process has ended.
 */
export function readProcessorTimes(pids: readonly number[]): ProcessorTime[] {
  const processes = readProcesses();
  const children = Map.groupBy(processes.keys(), (pid) => processes.get(pid)?.parent);
  const total = (pid: number): number => {
    const { own, ended } = processes.get(pid) ?? { own: 0, ended: 0 };
    return own + ended + below(pid);
  };
  const below = (pid: number): number => (children.get(pid) ?? []).reduce((sum, child) => sum + total(child), 0);
  return pids.map((pid) => {
    const seen = processes.get(pid);
    if (!seen) throw new Error(`Process ${pid} has ended, or this machine has no /proc: measuring needs Linux.`);
    return { own: seen.own, descendants: seen.ended + below(pid) };
  });
}

function readProcesses(): Map<number, Seen> {
  const processes = new Map<number, Seen>();
  for (const name of namesInProc()) {
    const seen = /^\d+$/.test(name) ? readProcess(name) : undefined;
    if (seen) processes.set(Number(name), seen);
  }
  return processes;
}

function namesInProc(): string[] {
  try {
    return readdirSync("/proc");
  } catch {
    return [];
  }
}

function readProcess(pid: string): Seen | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the command is in parentheses and may contain any character. State and parent follow it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const seconds = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) / ticksPerSecond;
    return { parent: Number(fields[1]), own: seconds(11), ended: seconds(13) };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}
