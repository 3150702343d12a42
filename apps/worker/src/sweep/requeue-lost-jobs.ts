import { type Db, findOpenJobs } from "@video-to-json/database";
import type { JobQueue } from "@video-to-json/queue";

type Deps = { readonly db: Db; readonly queue: Pick<JobQueue, "missing" | "enqueue"> };

const olderThanMs = 3000;
const limit = 1000;

/**
 * Puts back into the queue what Postgres holds as open and the queue does not know: a Redis that came back empty, an
 * API that died between admission and queue. Gives how many.
 */
export async function requeueLostJobs({ db, queue }: Deps): Promise<number> {
  const open = await findOpenJobs(db, { olderThanMs, limit });
  if (open.length === 0) return 0;
  const lost = await queue.missing(open.map(({ id }) => id));
  for (const id of lost) await queue.enqueue(id);
  return lost.length;
}
