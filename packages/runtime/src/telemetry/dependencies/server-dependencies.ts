import type { Metrics } from "../metrics/open-metrics.ts";
import { addressOf, type Dependency } from "./watch-dependencies.ts";

type PostgresFacts = { clockAheadMs: number; startedAtMs: number };
type RedisFacts = { runId: string | undefined; usedBytes: number; maxBytes: number; hasLostData: boolean };

/** When its clock is corrected, PostgreSQL moves its own start by less than this. */
const maxStartDriftMs = 1000;

/**
 * Returns PostgreSQL as a dependency that the process cannot work without. A process that `servesReads` works with a server
 * that refuses to write (`25006`). Each check also measures the clock.
 */
export function postgresDependency(
  metrics: Pick<Metrics, "clockOffset" | "dependencyRestarts">,
  url: string,
  inspect: () => Promise<PostgresFacts>,
  { servesReads = false } = {},
): Dependency {
  let startedAtMs: number | undefined;
  return {
    name: "postgres",
    address: addressOf(url),
    isRequired: (failure) => !(servesReads && "code" in failure && failure.code === "25006"),
    async check() {
      const facts = await inspect();
      metrics.clockOffset.set(facts.clockAheadMs / 1000);
      const isNew = startedAtMs !== undefined && Math.abs(facts.startedAtMs - startedAtMs) > maxStartDriftMs;
      if (isNew) metrics.dependencyRestarts.inc({ dependency: "postgres" });
      startedAtMs = facts.startedAtMs;
    },
  };
}

/** Returns Redis as a dependency. Without it, a process is degraded: it serves reads and keeps its running jobs. */
export function redisDependency(
  metrics: Pick<Metrics, "redisMemoryUsed" | "redisMemoryMax" | "redisDataLosses" | "dependencyRestarts">,
  url: string,
  inspect: () => Promise<RedisFacts>,
): Dependency {
  let runId: string | undefined;
  return {
    name: "redis",
    address: addressOf(url),
    isRequired: false,
    async check() {
      const facts = await inspect();
      metrics.redisMemoryUsed.set(facts.usedBytes);
      metrics.redisMemoryMax.set(facts.maxBytes);
      if (facts.hasLostData) metrics.redisDataLosses.inc();
      if (runId !== undefined && facts.runId !== runId) metrics.dependencyRestarts.inc({ dependency: "redis" });
      runId = facts.runId;
    },
  };
}
