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
    for (const descendant of descendantsOf(pid)) peak = Math.max(peak, peakOf(descendant));
  };
  const timer = setInterval(look, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}

function descendantsOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
    return children.flatMap((child) => [child, ...descendantsOf(child)]);
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

function peakOf(pid: number): number {
  try {
    return residentBytes(pid).peak || 0;
  } catch {
    return 0;
  }
}
