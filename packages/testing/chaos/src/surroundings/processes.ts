import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import type { StackPart } from "@video-to-json/stack";

/** A process of this machine. The first letter of its state is Z for a zombie and T for a stopped process (see ps). */
export type Seen = { pid: number; parent: number; group: number; state: string; command: string };

export async function processTree(roots: readonly number[]): Promise<number[]> {
  const children = Map.groupBy(await listProcesses(), ({ parent }) => parent);
  const below = (pid: number): number[] => (children.get(pid) ?? []).flatMap((each) => [each.pid, ...below(each.pid)]);
  return roots.flatMap(below);
}

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

/** Starts a shell that continues stopped processes when this one ends, even by SIGKILL. Returns how to do so now. */
export function continueOnExit(pids: readonly number[]): () => Promise<void> {
  const shell = spawn("sh", ["-c", 'cat >/dev/null; kill -s CONT "$@" 2>/dev/null', "thaw", ...pids.map(String)], {
    // In a separate group, so that Ctrl-C in the terminal does not reach it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = once(shell, "close");
  return async () => {
    shell.stdin.end();
    await ended;
  };
}

export function watchParts(parts: readonly StackPart[]) {
  const pids: number[] = [];
  const expected = new Map<number, NodeJS.Signals>();
  const wrongExits: string[] = [];

  function watch({ name, pid, ended }: StackPart): void {
    pids.push(pid);
    expected.delete(pid);
    void ended.then((how) => {
      const signal = expected.get(pid);
      if (signal === undefined) wrongExits.push(`${name} (pid ${pid}) ended without a signal: ${how}`);
      if (signal === "SIGTERM" && how !== "code 0") {
        wrongExits.push(`${name} (pid ${pid}) did not shut down gracefully: ${how}`);
      }
    });
  }
  parts.forEach(watch);
  return {
    /** Must be called before a process is stopped on purpose, with the signal. */
    onStopping: ({ pid }: StackPart, signal: NodeJS.Signals) => void expected.set(pid, signal),
    onRestarted: watch,
    pids: pids as readonly number[],
    /** The processes that ended without a signal, or did not shut down gracefully, one line each. */
    wrongExits: wrongExits as readonly string[],
  };
}
