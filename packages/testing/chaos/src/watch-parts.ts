import type { StackPart } from "@video-to-json/stack";
import type { EndSignal } from "./faults/commit-fault.ts";

/** Which processes there were, and which of them ended otherwise than they were meant to. */
export type PartsWatch = {
  /** To be told before a process is ended on purpose, and how. */
  willEnd(part: StackPart, signal: EndSignal): void;
  /** To be told once a process was started again. */
  startedAgain(part: StackPart): void;
  /** Every pid there ever was. */
  pids: readonly number[];
  /** Those that ended by themselves or, told to stop, not in good order; in words, one line each. */
  wrongEnds: readonly string[];
};

/** Watches APIs and workers from now on. */
export function watchParts(parts: readonly StackPart[]): PartsWatch {
  const pids: number[] = [];
  const meant = new Map<number, EndSignal>();
  const wrongEnds: string[] = [];

  function watch({ name, pid, ended }: StackPart): void {
    pids.push(pid);
    meant.delete(pid);
    void ended.then((how) => {
      const signal = meant.get(pid);
      if (signal === undefined) wrongEnds.push(`${name} (pid ${pid}) ended by itself: ${how}`);
      if (signal === "SIGTERM" && how !== "code 0") {
        wrongEnds.push(`${name} (pid ${pid}) was told to stop, and did not end in good order: ${how}`);
      }
    });
  }
  parts.forEach(watch);
  return { willEnd: ({ pid }, signal) => meant.set(pid, signal), startedAgain: watch, pids, wrongEnds };
}
