import { setTimeout as sleep } from "node:timers/promises";
import { countWaitingJobs, type Db, findTickets } from "@video-to-json/database";
import { type JobQueue, openJobQueue } from "@video-to-json/queue";

/** Whether the queue had a ticket for every open job at a time (milliseconds since 1970). */
export type QueueLook = { at: number; whole: boolean };

type World = { db: Db; redisUrl: string };

const everyMs = 300;

/** Compares the queue with the database, repeatedly, until it is stopped. */
export function watchQueue({ db, redisUrl }: World): { looks: readonly QueueLook[]; stop(): Promise<void> } {
  const looks: QueueLook[] = [];
  const queue = openJobQueue({ redisUrl, prefix: "v2j", onError: () => {} });
  const stopping = new AbortController();
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      // An unavailable server or an overloaded machine shows nothing about the queue.
      const whole = await isWhole({ db, queue }).catch(() => undefined);
      if (whole !== undefined) looks.push({ at: Date.now(), whole });
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

/** Returns whether the queue has the tickets of all running jobs, and at least one more for each that waits. */
async function isWhole({ db, queue }: { db: Db; queue: JobQueue }): Promise<boolean> {
  const running = await findTickets(db);
  const missing = new Set(await queue.missing(running));
  // A job that finished between the two queries does not count.
  if (missing.size > 0 && (await findTickets(db)).some((ticket) => missing.has(ticket))) return false;
  const tickets = (await queue.count()) - running.length;
  // A job is in the database shortly before its ticket is in the queue.
  return tickets >= (await countWaitingJobs(db, { minAgeMs: 3_000 }));
}
