import { startTimeOf } from "./process-identity.ts";

/** The leader of a process group. The start time distinguishes it from a later process with the same pid. */
export type GroupLeader = { pid: number; startTime: string | undefined };

/**
 * Returns whether a process of a group still runs, the leader or another. The system does not reuse the number of a group
 * that runs: another process with the pid of the leader means that the group has ended.
 */
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
