import type { StackPart } from "@video-to-json/stack";
import type { EndSignal } from "../faults/fault.ts";

/** The processes of a run, and those that ended in a wrong way. */
export type PartsWatch = {
  /** Must be called before a process is stopped on purpose, with the signal. */
  onStopping(part: StackPart, signal: EndSignal): void;
  /** Must be called when a process has started again. */
  onRestarted(part: StackPart): void;
  /** The pids of all processes so far. */
  pids: readonly number[];
  /** The processes that ended without a signal, or did not shut down gracefully, one line each. */
  wrongExits: readonly string[];
};

/** Starts to watch APIs and workers. */
export function watchParts(parts: readonly StackPart[]): PartsWatch {
  const pids: number[] = [];
  const expected = new Map<number, EndSignal>();
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
  return { onStopping: ({ pid }, signal) => expected.set(pid, signal), onRestarted: watch, pids, wrongExits };
}
