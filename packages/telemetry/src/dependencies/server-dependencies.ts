import type { Metrics } from "../metrics/open-metrics.ts";
import { addressOf } from "./address-of.ts";
import type { Dependency } from "./watch-dependencies.ts";

type PostgresFacts = { clockAheadMs: number; startedAtMs: number };
type RedisFacts = { runId: string | undefined; usedBytes: number; maxBytes: number; hasLostData: boolean };

/** PostgreSQL moves its own start by less than this when its clock is corrected. */
const maxStartDriftMs = 1000;

/** Returns PostgreSQL as a dependency without which a process can do nothing. Each check also measures the clock. */
export function postgresDependency(
  metrics: Pick<Metrics, "clockOffset" | "dependencyRestarts">,
  url: string,
  inspect: () => Promise<PostgresFacts>,
): Dependency {
  let startedAtMs: number | undefined;
  return {
    name: "postgres",
    address: addressOf(url),
    isRequired: true,
    async check() {
      const facts = await inspect();
      metrics.clockOffset.set(facts.clockAheadMs / 1000);
      const isNew = startedAtMs !== undefined && Math.abs(facts.startedAtMs - startedAtMs) > maxStartDriftMs;
      if (isNew) metrics.dependencyRestarts.inc({ dependency: "postgres" });
      startedAtMs = facts.startedAtMs;
    },
  };
}

/** Returns Redis as a dependency: a process without it is degraded, because it serves reads and keeps what it has. */
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
