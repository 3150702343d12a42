import { setTimeout as sleep } from "node:timers/promises";
import { countWaitingJobs, type Db, findTickets } from "@video-to-json/database";
import { type JobQueue, openJobQueue } from "@video-to-json/queue";

/** Whether the queue had a ticket for every open job at a time (milliseconds since 1970), and which were missing. */
export type QueueLook = { at: number; whole: boolean; misses?: string };

type World = { db: Db; redisUrl: string };

const everyMs = 300;

/** Compares the queue with the database, repeatedly, until it is stopped. */
export function watchQueue({ db, redisUrl }: World): { looks: readonly QueueLook[]; stop(): Promise<void> } {
  const looks: QueueLook[] = [];
  const queue = openJobQueue({ redisUrl, prefix: "v2j", onError: () => {} });
  const stopping = new AbortController();
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      // An unavailable server or an overloaded machine proves nothing about the queue.
      const misses = await missesOf({ db, queue }).catch(() => undefined);
      if (misses !== undefined) looks.push({ at: Date.now(), whole: misses === "", ...(misses && { misses }) });
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    looks,
    async stop() {
      stopping.abort();
      await looking;
      await queue.close();
    },
  };
}

/** Returns the missing tickets: those of running jobs, or one more for each waiting job. Empty if none is missing. */
async function missesOf({ db, queue }: { db: Db; queue: JobQueue }): Promise<string> {
  const running = await findTickets(db);
  const missing = new Set(await queue.missing(running));
  // A job that finished between the two queries does not count.
  const lost = missing.size > 0 ? (await findTickets(db)).filter((ticket) => missing.has(ticket)) : [];
  if (lost.length > 0) return `tickets of running jobs: ${lost.join(", ")}`;
  const tickets = (await queue.count()) - running.length;
  // A job is in the database shortly before its ticket is in the queue.
  const waiting = await countWaitingJobs(db, { minAgeMs: 3_000 });
  return tickets >= waiting ? "" : `${waiting} jobs wait and ${tickets} tickets are free`;
}
