import { readFileSync, writeFileSync } from "node:fs";

/** The resident memory of a process in bytes: the current value, and the peak since its start or since `forgetPeak`. */
export function residentBytes(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024;
  return { now: bytes("VmRSS"), peak: bytes("VmHWM") };
}

/** Resets the peak memory of a process to its current resident memory. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

/** Watches the descendants of a process, even short-lived ones. `stop` returns the peak of the largest one in bytes. */
export function watchDescendants(pid: number, everyMs = 10): { stop(): number } {
  let peak = 0;
  const look = () => {
    const peaks = descendantsOf(pid).map((each) => ifRunning(() => residentBytes(each).peak) || 0);
    peak = Math.max(peak, ...peaks);
  };
  const timer = setInterval(look, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}

// The unit of /proc/<pid>/stat, which Linux has fixed for user space.
const ticksPerSecond = 100;

/** Descendants that have ended count if their parent has waited for them. Throws without the process or /proc. */
export function processorTime(pid: number): { own: number; descendants: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The name of the command is in parentheses and may contain any character. State and parent follow it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const seconds = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) / ticksPerSecond;
  const below = childrenOf(pid).map((child) => ifRunning(() => processorTime(child)) ?? { own: 0, descendants: 0 });
  const running = below.reduce((sum, { own, descendants }) => sum + own + descendants, 0);
  return { own: seconds(11), descendants: seconds(13) + running };
}

function childrenOf(pid: number): number[] {
  const children = ifRunning(() => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")) ?? "";
  return children.split(" ").filter(Boolean).map(Number);
}

function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function ifRunning<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Returns the processor time of the whole machine so far, in ticks of the kernel: the used time, and the total. */
export function readMachineLoad(): { busy: number; all: number } {
  const [line = ""] = readFileSync("/proc/stat", "latin1").split("\n");
  const ticks = line.split(/\s+/).slice(1, 9).map(Number);
  const all = ticks.reduce((sum, each) => sum + each, 0);
  const [, , , idle = 0, waiting = 0] = ticks;
  return { busy: all - idle - waiting, all };
}

/** The parts of the service whose processor time counts. `ffmpeg` means all programs that workers start. */
export const serviceParts = ["api", "worker", "ffmpeg", "postgres", "redis"] as const;
/** `ffprobe` is that of the bare script. */
const parts = [...serviceParts, "emulator", "client", "script", "ffprobe"] as const;

/** Processor seconds by part: a process, or several of a kind. */
export type Usage = Record<(typeof parts)[number], number>;

/** The names of the parts in tables. */
export const partTitles: Readonly<Record<(typeof serviceParts)[number], string>> = {
  ...{ api: "API", worker: "worker", ffmpeg: "ffmpeg", postgres: "PostgreSQL", redis: "Redis" },
};

/** Returns the seconds of processor time that each part has used since it started. This process is the client. */
export function readUsage(processes: readonly { name: string; pid: number }[]): Usage {
  const { user, system } = process.cpuUsage();
  const used = { ...mapParts(() => 0), client: (user + system) / 1e6 };
  for (const { name, pid } of processes) {
    const part = name.replace(/-\d+$/, "") as keyof Usage;
    const { own, descendants } = processorTime(pid);
    used[part] += own;
    used[part === "worker" ? "ffmpeg" : part === "script" ? "ffprobe" : part] += descendants;
  }
  return used;
}

/** Returns a value for each part. */
export function mapParts(value: (part: keyof Usage) => number): Usage {
  return Object.fromEntries(parts.map((part) => [part, value(part)])) as Usage;
}

/** Returns the usage between two readings. */
export function usedBetween(before: Usage, after: Usage): Usage {
  return mapParts((part) => after[part] - before[part]);
}

export function ofService(usage: Usage): number {
  return serviceParts.reduce((sum, part) => sum + usage[part], 0);
}
