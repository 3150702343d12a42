import { eq, type SQL, sql } from "drizzle-orm";
import { jobs } from "../tables/jobs.ts";

/** An open job. The status values are literals because PostgreSQL uses the partial indexes only then. */
export const isOpen = sql`${jobs.status} in ('queued', 'running')`;

/** A job that runs under this claim. A later claim has raised the fence. */
export function runsUnder({ id, fence }: { id: string; fence: number }): SQL {
  return sql`${eq(jobs.id, id)} and ${jobs.status} = 'running' and ${eq(jobs.fence, fence)}`;
}

/** Makes the commit of a statement not wait for the disk. A later commit, such as that of a hold, waits for both. */
export const withoutFlush = sql`set_config('synchronous_commit', 'off', true) is not null`;
