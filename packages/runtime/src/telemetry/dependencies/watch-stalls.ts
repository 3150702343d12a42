import type { Metrics } from "../metrics/open-metrics.ts";

const everyMs = 20;
const stallMs = 3000;
const blockMs = 50;

/**
 * Watches the event loop of this process with a timer that fires too late when the process does something else. A wait
 * of more than three seconds is a stall: frozen, swapped out, or blocked by its own work. Processor time tells the own
 * work from that of others: more than 50 ms in one piece block the loop (docs/decisions/0001, "Nothing that a stranger
 * wrote runs unbounded").
 *
 * @returns a function that ends the watch.
 */
export function watchStalls(metrics: Pick<Metrics, "processStalls" | "eventLoopBlocks">): () => void {
  let last = now();
  const timer = setInterval(() => {
    const { at, computed } = now();
    const lateMs = at - last.at - everyMs;
    const blockedMs = Math.min(lateMs, computed - last.computed);
    if (lateMs > stallMs) metrics.processStalls.inc();
    if (blockedMs > blockMs) metrics.eventLoopBlocks.observe(blockedMs / 1000);
    last = { at, computed };
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** Returns the time, and the processor time that this thread has used, in milliseconds. */
function now(): { at: number; computed: number } {
  const { user, system } = process.threadCpuUsage();
  return { at: performance.now(), computed: (user + system) / 1000 };
}
