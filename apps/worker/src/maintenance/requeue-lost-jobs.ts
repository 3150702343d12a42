import { countWaitingJobs, type Db, findTickets } from "@video-to-json/database";
import type { JobQueue } from "@video-to-json/queue";

export type LostJobDeps = {
  readonly db: Db;
  readonly queue: Pick<JobQueue, "missing" | "requeue" | "count" | "addTickets">;
};

/** A live API adds the ticket of its job within this time after admission. */
const minAgeMs = 3000;

/**
 * Makes sure that the queue has the ticket of each running job and at least one more for each waiting job. Redis may
 * have come back without its data or a part of it, or an API may have died between admission and queue. A surplus
 * ticket does no harm: it finds no job and ends. Returns how many tickets it added.
 */
export async function requeueLostJobs({ db, queue }: LostJobDeps): Promise<number> {
  const running = await findTickets(db);
  const lost = await queue.missing(running);
  await queue.requeue(lost);
  const waiting = await countWaitingJobs(db, { minAgeMs });
  if (waiting === 0) return lost.length;
  const tickets = (await queue.count()) - running.length;
  const added = Math.max(0, waiting - tickets);
  await queue.addTickets(added);
  return lost.length + added;
}
