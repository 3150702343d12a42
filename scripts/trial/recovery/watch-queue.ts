import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@video-to-json/database";
import { openJobQueue } from "@video-to-json/queue";

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
      const open = await openJobs(db).catch(() => undefined);
      // A server that is away, or this machine at its limits, says nothing of what the queue holds.
      const missing = open && (await queue.missing(open).catch(() => undefined));
      if (missing) looks.push({ at: Date.now(), whole: missing.length === 0 });
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

/** A job is in the database a moment before it is in the queue: the youngest do not count. */
async function openJobs(db: Db): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(
    "select id from jobs where finished_at is null and created_at < clock_timestamp() - interval '3 seconds'",
  );
  return rows.map(({ id }) => id);
}
