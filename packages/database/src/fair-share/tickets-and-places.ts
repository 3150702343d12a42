import { and, eq, isNotNull, isNull, lt, ne, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { queueJobs, workers } from "../tables/fair-share.ts";

/** Returns the tickets under which jobs run. */
export async function findTickets(db: Db): Promise<string[]> {
  const running = await db
    .select({ ticket: queueJobs.ticket })
    .from(queueJobs)
    .where(and(isNotNull(queueJobs.ticket), isNull(queueJobs.worker)));
  return running.flatMap(({ ticket }) => ticket ?? []);
}

/** Returns the ticket under which a job runs, or `fetching`; undefined if it waits or has ended. */
export async function findTicket(db: Db, jobId: string): Promise<{ ticket: string } | "fetching" | undefined> {
  const { ticket, worker } = queueJobs;
  const [row] = await db.select({ ticket, worker }).from(queueJobs).where(eq(queueJobs.jobId, jobId));
  if (row?.worker) return "fetching";
  return row?.ticket ? { ticket: row.ticket } : undefined;
}

/** Returns how many jobs whose video is here have been waiting for more than `minAgeMs` milliseconds. */
export function countWaitingJobs(db: Db, { minAgeMs }: { minAgeMs: number }): Promise<number> {
  const since = sql`now() - make_interval(secs => ${minAgeMs / 1000}::float8)`;
  return db.$count(
    queueJobs,
    and(isNull(queueJobs.ticket), eq(queueJobs.fetches, false), lt(queueJobs.createdAt, since)),
  );
}

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

/** Returns whether another worker takes jobs. A worker that takes none has no places. */
export async function hasOtherWorker(db: Db, workerId: string): Promise<boolean> {
  const seen = sql`${workers.places} > 0 and ${workers.seenAt} > now() - interval '15 seconds'`;
  return (await db.$count(workers, and(ne(workers.id, workerId), seen))) > 0;
}

/** Deletes the record of a worker or an API that stops. */
export async function forgetProcess(db: Db, id: string): Promise<void> {
  await db.delete(workers).where(eq(workers.id, id));
}
