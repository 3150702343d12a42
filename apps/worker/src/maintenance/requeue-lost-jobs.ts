import { type Db, findOpenJobs } from "@video-to-json/database";
import type { JobQueue } from "@video-to-json/queue";

export type LostJobDeps = { readonly db: Db; readonly queue: Pick<JobQueue, "missing" | "enqueue"> };

/** An API that is alive adds its job to the queue within this time after admission. */
const minAgeMs = 3000;
const limit = 1000;

/**
 * Requeues the open jobs that the queue has lost: Redis came back without its data, or an API died between admission
 * and queue. Returns how many.
 */
export async function requeueLostJobs({ db, queue }: LostJobDeps): Promise<number> {
  const open = await findOpenJobs(db, { minAgeMs, limit });
  if (open.length === 0) return 0;
  const lost = await queue.missing(open);
  for (const id of lost) await queue.enqueue(id);
  return lost.length;
}
