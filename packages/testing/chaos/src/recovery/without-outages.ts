import type { CommittedFault } from "../faults/commit-fault.ts";
import type { Hit, Measure } from "../faults/fault.ts";

// The resources that the service cannot recover without. A recovery does not count the time in which another fault
// takes one away.
const needs: Record<Measure, readonly Hit[]> = {
  claims: ["postgres", "redis", "worker", "connections"],
  queue: ["postgres", "redis", "worker", "connections"],
  "other API": ["postgres", "api", "connections"],
  "all APIs": ["postgres", "api", "connections"],
  others: ["postgres", "api", "connections"],
  work: ["postgres", "redis", "worker", "api", "provider", "storage", "scratch", "connections"],
};

/**
 * Returns the milliseconds between two moments, without those in which another fault was an outage for the measure,
 * including its silent connections.
 */
export function withoutOutages(
  fault: CommittedFault,
  faults: readonly CommittedFault[],
  { from, until, measure }: { from: number; until: number; measure: Measure },
): number {
  const others = faults.filter((other) => other !== fault && needs[measure].includes(other.hits));
  let ms = until - from;
  let counted = from;
  for (const { at, overAt: endedAt, lingersMs = 0 } of others.toSorted((a, b) => a.at - b.at)) {
    const overAt = endedAt + lingersMs;
    const span = Math.min(overAt, until) - Math.max(at, counted);
    if (span <= 0) continue;
    ms -= span;
    counted = overAt;
  }
  return ms;
}
