import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Database, forgetProcess, recordApi } from "@video-to-json/database";
import type { ApiMetrics } from "@video-to-json/runtime/telemetry";

type Deps = {
  readonly database: Pick<Database, "db" | "readServiceLoad">;
  readonly metrics: Pick<ApiMetrics, "jobs" | "oldestWaitingJob" | "processes" | "lockWait">;
};

const everyMs = 2000;
const presentEveryMs = 5000;

/**
 * Measures the whole service every two seconds, with one cheap query, and records that this API is alive. Scrapes read
 * the last result. While PostgreSQL does not answer, these metrics have no value.
 *
 * @returns `close`, which ends the watch and forgets this API.
 */
export function watchService({ database, metrics }: Deps): { close(): Promise<void> } {
  const id = randomUUID();
  const closing = new AbortController();
  const { signal } = closing;
  const gauges = [metrics.jobs, metrics.processes, metrics.lockWait];

  async function measure(): Promise<void> {
    try {
      const load = await database.readServiceLoad();
      metrics.jobs.set({ state: "waiting" }, load.waitingJobs);
      metrics.jobs.set({ state: "running" }, load.runningJobs);
      metrics.oldestWaitingJob.set(load.oldestWaitingSeconds);
      for (const [app, states] of Object.entries(load.processes)) {
        for (const [state, count] of Object.entries(states)) metrics.processes.set({ app, state }, count);
      }
      for (const [table, seconds] of Object.entries(load.lockWaitSeconds)) metrics.lockWait.set({ table }, seconds);
    } catch {
      // `dependency_up` and the log say that PostgreSQL does not answer. An old number would mislead.
      for (const gauge of gauges) gauge.reset();
      metrics.oldestWaitingJob.remove();
    }
  }

  async function repeat(pauseMs: number, work: () => Promise<unknown>): Promise<void> {
    while (!signal.aborted) {
      await work().catch(() => {});
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  const loops = [repeat(everyMs, measure), repeat(presentEveryMs, () => recordApi(database.db, id))];
  return {
    async close() {
      closing.abort();
      await Promise.race([Promise.all(loops), sleep(1000)]);
      await Promise.race([forgetProcess(database.db, id).catch(() => {}), sleep(1000)]);
    },
  };
}
