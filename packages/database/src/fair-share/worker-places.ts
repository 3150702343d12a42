import { eq, lt, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { workers } from "../tables/fair-share.ts";

type Worker = { workerId: string; places: number };

/** The places of a worker count for this time after the worker last recorded itself. */
const maxSilenceSeconds = 15;

/** Records that a worker is alive and how many jobs it runs at once. Deletes workers that were last seen an hour ago. */
export async function recordWorker(db: Db, { workerId, places }: Worker): Promise<void> {
  await db
    .insert(workers)
    .values({ id: workerId, places })
    .onConflictDoUpdate({ target: workers.id, set: { places, seenAt: sql`now()` } });
  await db.delete(workers).where(lt(workers.seenAt, sql`now() - interval '1 hour'`));
}

/** Forgets a worker that stops. */
export async function forgetWorker(db: Db, workerId: string): Promise<void> {
  await db.delete(workers).where(eq(workers.id, workerId));
}

/** The places of all live workers: those of this worker, and those that the others recorded. */
export function allPlaces({ workerId, places }: Worker): SQL {
  return sql`select ${places}::integer + coalesce(sum(places), 0) from workers
    where id <> ${workerId} and seen_at > now() - make_interval(secs => ${maxSilenceSeconds})`;
}
