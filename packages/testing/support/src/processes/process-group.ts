import { startTimeOf } from "./process-identity.ts";

/** The leader of a group of processes, with what tells it from a later process of its number. */
export type GroupLeader = { pid: number; startTime: string | undefined };

/**
 * Whether anybody is left in a group, its leader or another. While somebody is, the system gives its number to nobody;
 * where a process has it that is not the leader, the group is gone.
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

/** Ends by SIGKILL whoever is left in a group. */
export function killGroup(leader: GroupLeader): void {
  if (!groupRuns(leader)) return;
  try {
    process.kill(-leader.pid, "SIGKILL");
  } catch {
    // The last of them has ended meanwhile.
  }
}
