import { setTimeout as sleep } from "node:timers/promises";
import { type Database, withAdvisoryLock } from "@video-to-json/database";
import type { Logger } from "@video-to-json/telemetry";
import type { JobDeps } from "../run-job.ts";
import { cleanEndedJobs, deleteLeftCopies } from "./clean-ended-jobs.ts";
import { deleteOrphanScratch, deleteOrphanUploads } from "./delete-orphans.ts";
import { endOverdueJobs } from "./end-overdue-jobs.ts";
import { forgetOldKeys } from "./forget-old-keys.ts";
import { requeueLostJobs } from "./requeue-lost-jobs.ts";

type Deps = {
  readonly database: Database;
  readonly log: Pick<Logger, "info" | "warn">;
  /** From the end of a round to the next one; 5,000 if not given. */
  readonly roundMs?: number;
} & Pick<JobDeps, "db" | "service" | "scratchDir"> &
  Parameters<typeof endOverdueJobs>[0] &
  Parameters<typeof requeueLostJobs>[0] &
  Parameters<typeof deleteOrphanUploads>[0] &
  Parameters<typeof forgetOldKeys>[0] &
  Parameters<typeof cleanEndedJobs>[0];

/** `everyMs`: from its end to the next time that a round does it; 0 for every round. */
type Duty = { name: string; everyMs: number; sweep(): Promise<number> };

/**
 * Starts the duties that pick up what died between two lines. Those that are for all are done by one process at a time
 * (an advisory lock); every worker sweeps its own scratch. The analysis service may be away: duties that ask it hold up
 * no others.
 */
export function startSweeper(deps: Deps): { close(): Promise<void> } {
  const { database } = deps;
  const closing = new AbortController();
  const orphansMs = Math.min(300_000, (deps.orphanUploadSeconds * 1000) / 2);
  const shared: Duty[] = [
    { name: "overdue jobs ended", everyMs: 0, sweep: () => endOverdueJobs(deps) },
    { name: "lost jobs queued again", everyMs: 0, sweep: () => requeueLostJobs(deps) },
    { name: "orphan uploads deleted", everyMs: orphansMs, sweep: () => deleteOrphanUploads(deps) },
    { name: "old idempotency keys deleted", everyMs: 300_000, sweep: () => forgetOldKeys(deps, closing.signal) },
  ];
  const sharedAtService: Duty[] = [
    { name: "ended jobs cleaned", everyMs: 15_000, sweep: () => cleanEndedJobs(deps, closing.signal) },
    { name: "left copies deleted", everyMs: 60_000, sweep: () => deleteLeftCopies(deps, closing.signal) },
  ];
  const own: Duty[] = [
    { name: "orphan scratch deleted", everyMs: 60_000, sweep: () => deleteOrphanScratch(deps, closing.signal) },
  ];
  const doShared = roundOf(deps, shared, closing.signal);
  const doSharedAtService = roundOf(deps, sharedAtService, closing.signal);
  // A round that takes longer goes on beside another worker's: every duty may be done twice.
  const lock = { name: "sweep", longestSeconds: 30 };
  const lockAtService = { name: "sweep of the analysis service", longestSeconds: 150 };
  const loops = [
    repeat(deps, () => withAdvisoryLock(database, lock, doShared), closing.signal),
    repeat(deps, () => withAdvisoryLock(database, lockAtService, doSharedAtService), closing.signal),
    repeat(deps, roundOf(deps, own, closing.signal), closing.signal),
  ];
  return {
    close: async () => {
      closing.abort();
      await Promise.all(loops);
    },
  };
}

/** A round does every duty whose time has come, one after the other; one that fails does not keep the others. */
function roundOf({ log }: Deps, duties: readonly Duty[], closing: AbortSignal): () => Promise<void> {
  const due = new Map<Duty, number>();
  return async () => {
    for (const duty of duties) {
      if (closing.aborted) return;
      if ((due.get(duty) ?? 0) > performance.now()) continue;
      try {
        const done = await duty.sweep();
        if (done > 0) log.info({ done }, duty.name);
      } catch (error) {
        if (!closing.aborted) log.warn({ err: error, duty: duty.name }, "sweep failed; it is tried again");
      }
      due.set(duty, performance.now() + duty.everyMs);
    }
  };
}

async function repeat(
  { log, roundMs = 5_000 }: Deps,
  round: () => Promise<unknown>,
  closing: AbortSignal,
): Promise<void> {
  while (!closing.aborted) {
    await round().catch((error) => log.warn({ err: error }, "sweep failed; it is tried again"));
    await sleep(roundMs, undefined, { signal: closing }).catch(() => {});
  }
}
