import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type ClaimedJob, claimNextJob, type Db, retryWhileUnavailable } from "@video-to-json/database";
import { TicketReturned } from "@video-to-json/queue";
import type { WorkerMetrics } from "@video-to-json/runtime/telemetry";
import { openFairPlaces } from "@video-to-json/runtime/timing";

type ClaimDeps = {
  readonly db: Db;
  readonly workerId: string;
  readonly places: number;
  readonly metrics: Pick<WorkerMetrics, "queueWait">;
};

/** Claims the job of a ticket. Returns undefined if no job waits. Throws TicketReturned when `stopping` aborts first. */
export type ClaimJob = (ticket: string, stopping: AbortSignal) => Promise<ClaimedJob | undefined>;

type TicketRun = { ticket: string; claim: string; stopping: AbortSignal };

/**
 * Returns a function that waits until the database answers and has the tables of this build, because a job that is
 * claimed before would fail. It throws TicketReturned when `stopping` aborts first.
 */
export function openDatabaseGate(database: { inspect(): Promise<unknown> }): (stopping: AbortSignal) => Promise<void> {
  let fits = false;
  return async (stopping) => {
    while (!fits) {
      fits = await database.inspect().then(
        () => true,
        () => false,
      );
      if (fits) return;
      await sleep(pauses.longest, undefined, { signal: stopping }).catch(() => {});
      if (stopping.aborted) throw new TicketReturned();
    }
  };
}

/** Returns the id of a new claim. Its first part names the worker, so that a job knows how many workers failed on it. */
export function claimOf(workerId: string): string {
  return workerId.slice(0, 18) + randomUUID().slice(18);
}

/** The interval at which a worker asks again while no waiting job may start, in milliseconds. */
const pauses = { first: 10, longest: 250 };

/**
 * Returns a function that claims jobs for the tickets of this worker. When every waiting job belongs to an account that
 * has used up its share, the tickets wait in a line, and the first of them asks again. A ticket that has come back with
 * its job does not wait in that line.
 */
export function createClaims({ db, workerId, places, metrics }: ClaimDeps): ClaimJob {
  const claiming = openFairPlaces(1);
  const waiting = openFairPlaces(1);

  function claim({ stopping, ...ticket }: TicketRun): Promise<ClaimedJob | "nothing" | "not yet"> {
    return claiming.run("", undefined, async () => {
      if (stopping.aborted) throw new TicketReturned();
      return retryWhileUnavailable(() => claimNextJob(db, { ...ticket, workerId, places }), { signal: stopping });
    });
  }

  async function claimLater(run: TicketRun): Promise<ClaimedJob | "nothing"> {
    for (let pauseMs = pauses.first; ; pauseMs = Math.min(2 * pauseMs, pauses.longest)) {
      await sleep(pauseMs, undefined, { signal: run.stopping }).catch(() => {});
      const claimed = await claim(run);
      if (claimed !== "not yet") return claimed;
    }
  }

  return async (ticket, stopping) => {
    const run = { ticket, claim: claimOf(workerId), stopping };
    const first = await claim(run);
    const claimed = first === "not yet" ? await waiting.run("", undefined, () => claimLater(run)) : first;
    if (claimed === "nothing") return undefined;
    if (claimed.fence === 1) metrics.queueWait.observe(claimed.ageMs / 1000);
    return claimed;
  };
}
