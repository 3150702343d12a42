import { eq, lt, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { workers } from "../tables/fair-share.ts";

type Worker = { workerId: string; places: number };

/** Records that a worker is alive and how many jobs it runs at once. Deletes processes that were last seen an hour ago. */
export async function recordWorker(db: Db, { workerId, places }: Worker): Promise<void> {
  await record(db, { id: workerId, places, app: "worker" });
  await db.delete(workers).where(lt(workers.seenAt, sql`now() - interval '1 hour'`));
}

/** Records that an API is alive, so that its death is noticed. */
export async function recordApi(db: Db, id: string): Promise<void> {
  await record(db, { id, places: 0, app: "api" });
}

async function record(db: Db, { id, places, app }: { id: string; places: number; app: "worker" | "api" }) {
  await db
    .insert(workers)
    .values({ id, places, app })
    .onConflictDoUpdate({ target: workers.id, set: { places, seenAt: sql`now()` } });
}

/** Deletes the record of a worker or an API that stops. */
export async function forgetProcess(db: Db, id: string): Promise<void> {
  await db.delete(workers).where(eq(workers.id, id));
}
