import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@video-to-json/database";

/** The highest fence of each job that was seen. */
export type FencesWatch = { fences: ReadonlyMap<string, number>; stop(): Promise<void> };

const everyMs = 1000;

/** Reads the fences of open and newly finished jobs, repeatedly, until it is stopped. */
export function watchFences(db: Db): FencesWatch {
  const fences = new Map<string, number>();
  const stopping = new AbortController();
  const look = async () => {
    const rows = await db.execute<{ id: string; fence: number }>(
      "select id, fence from jobs where finished_at is null or finished_at > now() - interval '1 minute'",
    );
    for (const { id, fence } of rows) fences.set(id, Math.max(Number(fence), fences.get(id) ?? 0));
  };
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      // An unavailable server proves nothing.
      await look().catch(() => {});
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
    await look().catch(() => {});
  })();
  return {
    fences,
    async stop() {
      stopping.abort();
      await looking;
    },
  };
}
