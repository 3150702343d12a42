import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Options = {
  /** How often it is looked, in milliseconds; 5000 if not given. */
  everyMs?: number;
};

/** How much of the time since the last look a quiet process has worked. */
const quietShare = 0.05;
/** Gives the room back as well, which takes a little longer: some 50 ms of a process with nothing to do. */
const thorough = { type: "major", flavor: "last-resort" } as const;
/** How much larger a heap is worth the collection. */
const growth = 1.2;

/**
 * Collects garbage once a process has become quiet after a rush: left to itself, V8 keeps it until something asks for the
 * room, and what is quiet asks for none. Does not keep the process alive; `close` ends it.
 */
export function giveBackMemory({ everyMs = 5000 }: Options = {}): { close(): void } {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (how: typeof thorough) => void;
  let least = heapBytes();
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > quietShare || heapBytes() < growth * least) return;
    collect(thorough);
    least = heapBytes();
  }, everyMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

function heapBytes(): number {
  return getHeapStatistics().total_heap_size;
}
