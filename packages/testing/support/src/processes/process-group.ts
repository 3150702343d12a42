import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** Returns the start time of a process, which together with its pid is unique. Undefined when it has ended. */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the command is in parentheses and may contain any character. State and start time follow it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return existsSync("/proc/self/stat") ? undefined : startTimeFromPs(pid);
  }
}

// For systems without /proc.
function startTimeFromPs(pid: number): string | undefined {
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return undefined;
  }
}

/** The leader of a process group. The start time distinguishes it from a later process with the same pid. */
export type GroupLeader = { pid: number; startTime: string | undefined };

/** The system does not reuse the number of a running group, so another process with the leader's pid means its end. */
export function groupRuns({ pid, startTime }: GroupLeader): boolean {
  const runs = startTimeOf(pid);
  if (runs !== undefined && runs !== startTime) return false;
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

/** Kills the remaining processes of a group with SIGKILL. */
export function killGroup(leader: GroupLeader): void {
  if (!groupRuns(leader)) return;
  try {
    process.kill(-leader.pid, "SIGKILL");
  } catch {
    // The last process has ended meanwhile.
  }
}
