import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@video-to-json/database";
import { type JobQueue, openJobQueue } from "@video-to-json/queue";

/** Whether the queue contained every open job at a time (milliseconds since 1970). */
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
      const absent = await missing({ db, queue }).catch(() => undefined);
      if (absent) looks.push({ at: Date.now(), whole: absent.length === 0 });
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

/** Returns the open jobs that are not in the queue. A job that finished between the two queries does not count. */
async function missing({ db, queue }: { db: Db; queue: JobQueue }): Promise<string[]> {
  const missing = await queue.missing(await openJobs(db));
  if (missing.length === 0) return [];
  const open = new Set(await openJobs(db));
  return missing.filter((id) => open.has(id));
}

/** Returns the open jobs without the youngest: a job is in the database shortly before it is in the queue. */
async function openJobs(db: Db): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(
    "select id from jobs where finished_at is null and created_at < clock_timestamp() - interval '3 seconds'",
  );
  return rows.map(({ id }) => id);
}
