import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { maintenance } from "../tables/fair-share.ts";

/** A maintenance task, with the times that decide when a worker may claim it. */
export type TaskTimes = {
  readonly name: string;
  /** From the end of a run to the next one, in milliseconds. */
  readonly intervalMs: number;
  /** How long a claim blocks other workers when its worker dies or hangs, in milliseconds. */
  readonly leaseMs: number;
};

/** Returns the names of the tasks that a worker may claim now, by the database's clock. One cheap query. */
export async function findDueTasks(db: Db, tasks: readonly TaskTimes[]): Promise<Set<string>> {
  const rows = await db
    .select({
      name: maintenance.name,
      waitMs: sql`extract(epoch from ${maintenance.nextRunAt} - now()) * 1000`.mapWith(Number),
    })
    .from(maintenance);
  const waits = new Map(rows.map(({ name, waitMs }) => [name, waitMs]));
  return new Set(
    tasks.flatMap((task) => {
      const waitMs = waits.get(task.name) ?? 0;
      return waitMs <= 0 || waitMs > maxWaitMs(task) ? [task.name] : [];
    }),
  );
}

/**
 * Claims a task that is due, for the length of its lease. No connection stays open for a claim.
 *
 * @returns the fence of the claim, or undefined when another worker was first.
 */
export async function claimTask(db: Db, task: TaskTimes): Promise<number | undefined> {
  const nextRunAt = fromNow(task.leaseMs);
  const [claimed] = await db
    .insert(maintenance)
    .values({ name: task.name, nextRunAt })
    .onConflictDoUpdate({
      target: maintenance.name,
      set: { nextRunAt, fence: sql`${maintenance.fence} + 1` },
      setWhere: isDue(task),
    })
    .returning({ fence: maintenance.fence });
  return claimed?.fence;
}

/** Ends a claim: the task is due again after its interval. Does nothing when another worker has taken the task over. */
export async function finishTask(db: Db, { name, intervalMs }: TaskTimes, fence: number): Promise<void> {
  await db
    .update(maintenance)
    .set({ nextRunAt: fromNow(intervalMs) })
    .where(and(eq(maintenance.name, name), eq(maintenance.fence, fence)));
}

/** A due time later than any claim sets shows that the database's clock was set back. The task must not wait for it. */
function isDue(task: TaskTimes): SQL {
  const { nextRunAt } = maintenance;
  return sql`(${nextRunAt} <= now() or ${nextRunAt} > ${fromNow(maxWaitMs(task))})`;
}

/** More than a claim delays a task, including the time in which the claim itself may have waited for the row. */
function maxWaitMs({ intervalMs, leaseMs }: TaskTimes): number {
  return Math.max(intervalMs, leaseMs) + 60_000;
}

function fromNow(milliseconds: number): SQL<Date> {
  return sql`now() + make_interval(secs => ${milliseconds / 1000}::float8)`;
}
