import { overdueProblem } from "@video-to-json/contract";
import { countWaitingJobs, type Db, findOverdueJobs, findTickets, releaseDeadFetches } from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/database/money";
import type { JobQueue } from "@video-to-json/queue";
import type { Logger, WorkerMetrics } from "@video-to-json/runtime/telemetry";

type Deps = { readonly db: Db; readonly log: Pick<Logger, "warn">; readonly metrics: Pick<WorkerMetrics, "jobsEnded"> };

const limit = 100;
const lockMs = 1_000;
/** How long a run may wait for locked accounts in total. */
const maxLockedMs = 3_000;

/**
 * Fails the jobs whose deadline has passed and releases their holds. Jobs of locked accounts come last. A run waits for
 * them once, for seconds only, so that one account does not delay another's jobs. Returns how many jobs it failed.
 */
export async function failOverdueJobs({ db, log, metrics }: Deps): Promise<number> {
  const free = await findOverdueJobs(db, { limit, skipLocked: true });
  const known = new Set(free.map(({ id }) => id));
  const others = (await findOverdueJobs(db, { limit, skipLocked: false })).filter(({ id }) => !known.has(id));
  const locked = new Set<string>();
  let failed = 0;
  let waitedMs = 0;
  for (const { id, accountId, startedAt } of [...free, ...others]) {
    if (locked.has(accountId) || waitedMs >= maxLockedMs) continue;
    const startedWaitAt = performance.now();
    try {
      const error = overdueProblem(startedAt !== null).toInside();
      if (!(await failAndRelease(db, { jobId: id, error, lockMs }))) continue;
      failed++;
      metrics.jobsEnded.inc({ outcome: error.code, by: "maintenance" });
    } catch (error) {
      locked.add(accountId);
      waitedMs += performance.now() - startedWaitAt;
      log.warn({ err: error, jobId: id }, "overdue job could not be failed; trying again");
    }
  }
  return failed;
}

export type LostJobDeps = {
  readonly db: Db;
  readonly queue: Pick<JobQueue, "missing" | "requeue" | "count" | "addTickets">;
};

/** A live API adds the ticket of its job within this time after admission. */
const minAgeMs = 3000;

/**
 * Makes sure that the queue has the ticket of each running job and at least one more for each waiting job. Redis may
 * have come back without its data or a part of it, or an API may have died between admission and queue. A surplus
 * ticket does no harm: it finds no job and ends. Also ends the fetches of workers that are gone, so that others fetch.
 * Returns how many tickets it added and how many fetches it ended.
 */
export async function requeueLostJobs({ db, queue }: LostJobDeps): Promise<number> {
  const released = await releaseDeadFetches(db);
  const running = await findTickets(db);
  const lost = await queue.missing(running);
  await queue.requeue(lost);
  const waiting = await countWaitingJobs(db, { minAgeMs });
  if (waiting === 0) return released + lost.length;
  const tickets = (await queue.count()) - running.length;
  const added = Math.max(0, waiting - tickets);
  await queue.addTickets(added);
  return released + lost.length + added;
}
