import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@video-to-json/database";
import { findLeftovers } from "../audit/findings/find-leftovers.ts";
import { readQueueTables } from "../audit/records/read-queue-tables.ts";

type World = Parameters<typeof findLeftovers>[0] & {
  db: Db;
  /** How many workers run. */
  workers: number;
  maxMs: number;
  onStatus(what: string): void;
  signal: AbortSignal;
};

/**
 * Waits at most `maxMs` until no job is open, the clean-up of every job is done and recorded, and only
 * the places of running workers count. The audit reports the rest. Returns the time waited, in milliseconds.
 */
export async function waitUntilQuiet({ db, workers, maxMs, onStatus, signal, ...places }: World): Promise<number> {
  const startedAt = Date.now();
  for (;;) {
    const open = await openJobs(db).catch(() => undefined);
    const left = await findLeftovers(places).catch(() => undefined);
    const counted = await countedWorkers(db).catch(() => undefined);
    const waitedMs = Date.now() - startedAt;
    if ((open === 0 && left?.length === 0 && counted === workers) || waitedMs > maxMs) return waitedMs;
    onStatus(`${open ?? "?"} jobs open, ${left?.length ?? "?"} leftovers, ${counted ?? "?"} workers counted`);
    await sleep(500, undefined, { signal });
  }
}

async function openJobs(db: Db): Promise<number> {
  const [row] = await db.execute<{ open: string }>(
    "select count(*) as open from jobs where finished_at is null or cleaned_at is null",
  );
  return Number(row?.open);
}

async function countedWorkers(db: Db): Promise<number> {
  const { workers } = await db.transaction(readQueueTables);
  return workers.filter(({ counts }) => counts).length;
}
