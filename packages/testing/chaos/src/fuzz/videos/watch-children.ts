import { existsSync, readdirSync, readFileSync } from "node:fs";

/** The number of programs seen, the largest use of one, and the programs without limits. */
export type ChildrenSeen = { programs: number; cpuSeconds: number; memoryBytes: number; faults: string[] };

const watched: ReadonlySet<string> = new Set(["ffmpeg", "ffprobe"]);
const everyMs = 50;
/** The clock of /proc/<pid>/stat, in ticks per second, on every Linux. */
const ticksASecond = 100;

/**
 * Polls /proc for the ffmpeg and ffprobe processes of this process: their usage, and whether the operating system
 * limits their memory, CPU time and files. Finds nothing without /proc.
 */
export function watchChildren(): { seen: ChildrenSeen; left(): string[]; stop(): void } {
  const seen: ChildrenSeen = { programs: 0, cpuSeconds: 0, memoryBytes: 0, faults: [] };
  const known = new Set<string>();
  const look = () => {
    for (const pid of descendantsOf(process.pid)) {
      const program = read(pid, "comm").trim();
      if (!watched.has(program)) continue;
      const stat = read(pid, "stat").split(") ")[1]?.split(" ") ?? [];
      const started = `${pid} ${stat[19]}`;
      if (!known.has(started)) {
        known.add(started);
        seen.programs += 1;
        seen.faults.push(...unheld(pid).map((what) => `${program}: ${what}`));
      }
      const ticks = Number(stat[11] ?? 0) + Number(stat[12] ?? 0);
      seen.cpuSeconds = Math.max(seen.cpuSeconds, ticks / ticksASecond);
      const [, peak] = /^VmHWM:\s+(\d+) kB/m.exec(read(pid, "status")) ?? [];
      seen.memoryBytes = Math.max(seen.memoryBytes, Number(peak ?? 0) * 1024);
    }
  };
  const timer = setInterval(look, everyMs);
  return {
    seen,
    left: () =>
      descendantsOf(process.pid)
        .map((pid) => ({ pid, program: read(pid, "comm").trim() }))
        .filter(({ program }) => watched.has(program))
        .map(({ pid, program }) => `${program} (pid ${pid})`),
    stop: () => clearInterval(timer),
  };
}

/** Returns the limits that a process is missing. Empty if it has ended. */
function unheld(pid: string): string[] {
  const limits = read(pid, "limits");
  if (limits === "") return [];
  return ["Max cpu time", "Max address space", "Max file size", "Max open files", "Max core file size"]
    .filter((name) => !new RegExp(`^${name} +\\d+ `, "m").test(limits))
    .map((name) => `${name} is unlimited`);
}

/** A program in a process namespace is a child of the command that created the namespace. */
function descendantsOf(pid: number): string[] {
  return childrenOf(pid).flatMap((child) => [child, ...childrenOf(Number(child))]);
}

function childrenOf(pid: number): string[] {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return [];
  return readdirSync(threads).flatMap((thread) => read(`${pid}/task/${thread}`, "children").split(" ").filter(Boolean));
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
