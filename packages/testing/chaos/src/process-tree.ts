import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** A process of this machine. The first letter of its state is Z for a zombie and T for a stopped process (see ps). */
export type Seen = { pid: number; parent: number; group: number; state: string; command: string };

/** Returns the descendants of some processes, without these processes. */
export async function processTree(roots: readonly number[]): Promise<number[]> {
  const children = Map.groupBy(await listProcesses(), ({ parent }) => parent);
  const below = (pid: number): number[] => (children.get(pid) ?? []).flatMap((each) => [each.pid, ...below(each.pid)]);
  return roots.flatMap(below);
}

/** Returns all processes of this machine. */
export async function listProcesses(): Promise<Seen[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat=,comm="]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => {
      const [pid, parent, group, state = "", ...command] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), group: Number(group), state, command: command.join(" ") };
    });
}
