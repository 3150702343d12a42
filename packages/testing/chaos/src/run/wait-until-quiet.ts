import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@video-to-json/database";
import { findLeftovers } from "../audit/findings/find-leftovers.ts";

type World = Parameters<typeof findLeftovers>[0] & {
  db: Db;
  maxMs: number;
  onStatus(what: string): void;
  signal: AbortSignal;
};

/**
 * Waits until no job is open or unconfirmed and the cleanup of every job is done and recorded, at most `maxMs`. The audit
 * reports what is left then. Returns the time waited, in milliseconds.
 */
export async function waitUntilQuiet({ db, maxMs, onStatus, signal, ...places }: World): Promise<number> {
  const startedAt = Date.now();
  for (;;) {
    const open = await openJobs(db).catch(() => undefined);
    const left = await findLeftovers(places).catch(() => undefined);
    const waitedMs = Date.now() - startedAt;
    if ((open === 0 && left?.length === 0) || waitedMs > maxMs) return waitedMs;
    onStatus(`${open ?? "?"} jobs open, ${left?.length ?? "?"} leftovers`);
    await sleep(500, undefined, { signal });
  }
}

async function openJobs(db: Db): Promise<number> {
  const [row] = await db.execute<{ open: string }>(
    `select (select count(*) from jobs where finished_at is null or cleaned_at is null)
      + (select count(*) from unconfirmed_jobs) as open`,
  );
  return Number(row?.open);
}
