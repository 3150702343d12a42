import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@video-to-json/database";
import { type JobQueue, openJobQueue } from "@video-to-json/queue";

/** Whether the queue knew every open job at a moment (milliseconds since 1970). */
export type QueueLook = { at: number; whole: boolean };

type World = { db: Db; redisUrl: string };

const everyMs = 300;

/** Compares the queue with the database, again and again, until it is stopped. */
export function watchQueue({ db, redisUrl }: World): { looks: readonly QueueLook[]; stop(): Promise<void> } {
  const looks: QueueLook[] = [];
  const queue = openJobQueue({ redisUrl, prefix: "v2j", onError: () => {} });
  const stopping = new AbortController();
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      // A server that is away, or this machine at its limits, says nothing of what the queue holds.
      const lacks = await lacking({ db, queue }).catch(() => undefined);
      if (lacks) looks.push({ at: Date.now(), whole: lacks.length === 0 });
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

/** What is open and not in the queue; what ended between the two questions is neither. */
async function lacking({ db, queue }: { db: Db; queue: JobQueue }): Promise<string[]> {
  const missing = await queue.missing(await openJobs(db));
  if (missing.length === 0) return [];
  const open = new Set(await openJobs(db));
  return missing.filter((id) => open.has(id));
}

/** A job is in the database a moment before it is in the queue: the youngest do not count. */
async function openJobs(db: Db): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(
    "select id from jobs where finished_at is null and created_at < clock_timestamp() - interval '3 seconds'",
  );
  return rows.map(({ id }) => id);
}
