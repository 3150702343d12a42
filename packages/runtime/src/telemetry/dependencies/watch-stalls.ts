import type { Metrics } from "../metrics/open-metrics.ts";

const everyMs = 500;
const stallMs = 3000;

/**
 * Counts how often this process stands still for more than three seconds: frozen, swapped out, or blocked by its own work.
 * A timer that fires too late shows it.
 *
 * @returns a function that ends the watch.
 */
export function watchStalls({ processStalls }: Pick<Metrics, "processStalls">): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - last > everyMs + stallMs) processStalls.inc();
    last = now;
  }, everyMs).unref();
  return () => clearInterval(timer);
}
