import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@video-to-json/database";
import { findLeftovers } from "./findings.ts";
import { workersOf } from "./gather-evidence.ts";
import type { World } from "./open-world.ts";

type Waiting = { maxMs: number; signal: AbortSignal; onStatus(what: string): void };

/**
 * Waits at most `maxMs` until no job is open, the clean-up of every job is done and recorded, and only the places of
 * running workers count. The audit reports the rest. Returns the time waited, in milliseconds.
 */
export async function waitUntilQuiet(world: World, { maxMs, onStatus, signal }: Waiting): Promise<number> {
  const startedAt = Date.now();
  for (;;) {
    const open = await count(world.db, "jobs where finished_at is null or cleaned_at is null");
    const seen = "seen_at > clock_timestamp() - interval '15 seconds'";
    const counted = await count(world.db, `workers where app = 'worker' and ${seen}`);
    const left = await findLeftovers(world).catch(() => undefined);
    const waitedMs = Date.now() - startedAt;
    const isQuiet = open === 0 && left?.length === 0 && counted === workersOf(world.stack);
    if (isQuiet || waitedMs > maxMs) return waitedMs;
    onStatus(`${open ?? "?"} jobs open, ${left?.length ?? "?"} leftovers, ${counted ?? "?"} workers counted`);
    await sleep(500, undefined, { signal });
  }
}

/** Returns the number of rows; undefined while the database is unavailable. */
async function count(db: Db, rows: string): Promise<number | undefined> {
  const [row] = await db.execute<{ n: string }>(`select count(*) as n from ${rows}`).catch(() => []);
  return row && Number(row.n);
}
