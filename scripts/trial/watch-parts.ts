import type { StackPart } from "@video-to-json/testing/running";

/** Which processes there were, and which of them ended though nobody ended them. */
export type PartsWatch = {
  /** To be told before a process is ended on purpose. */
  willEnd(part: StackPart): void;
  /** To be told once a process was started again. */
  startedAgain(part: StackPart): void;
  /** Every pid there ever was. */
  pids: readonly number[];
  /** In words, one line each. */
  endedByThemselves: readonly string[];
};

/** Watches APIs and workers from now on. */
export function watchParts(parts: readonly StackPart[]): PartsWatch {
  const pids: number[] = [];
  const meant = new Set<number>();
  const endedByThemselves: string[] = [];

  function watch({ name, pid, ended }: StackPart): void {
    pids.push(pid);
    void ended.then((how) => {
      if (!meant.has(pid)) endedByThemselves.push(`${name} (pid ${pid}) ended by itself: ${how}`);
    });
  }
  parts.forEach(watch);
  return { willEnd: ({ pid }) => meant.add(pid), startedAgain: watch, pids, endedByThemselves };
}
