import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@video-to-json/database";
import { leavings } from "./leavings.ts";

type World = Parameters<typeof leavings>[0] & {
  db: Db;
  longestMs: number;
  tell(what: string): void;
  signal: AbortSignal;
};

/**
 * Waits until no job is open, and nothing is left of any video nor to be noted as deleted, but not longer than `longestMs`: what is not in order by
 * then is the audit's to find. Gives how long it took, in milliseconds.
 */
export async function untilQuiet({ db, longestMs, tell, signal, ...places }: World): Promise<number> {
  const startedAt = Date.now();
  for (;;) {
    const open = await openJobs(db).catch(() => undefined);
    const left = await leavings(places).catch(() => undefined);
    const waitedMs = Date.now() - startedAt;
    if ((open === 0 && left?.length === 0) || waitedMs > longestMs) return waitedMs;
    tell(`${open ?? "?"} jobs open, ${left?.length ?? "?"} things left`);
    await sleep(500, undefined, { signal });
  }
}

async function openJobs(db: Db): Promise<number> {
  const [row] = await db.execute<{ open: string }>(
    "select count(*) as open from jobs where finished_at is null or cleaned_at is null",
  );
  return Number(row?.open);
}
