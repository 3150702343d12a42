import { eq, type SQL, sql } from "drizzle-orm";
import { jobs } from "../tables/jobs.ts";

/** A job that may still end either way. Written out, not as a parameter: only so do the partial indexes serve. */
export const isOpen = sql`${jobs.status} in ('queued', 'running')`;

/** A job that runs under this very claim: whoever claimed it later raised the fence. */
export function runsUnder({ id, fence }: { id: string; fence: number }): SQL {
  return sql`${eq(jobs.id, id)} and ${jobs.status} = 'running' and ${eq(jobs.fence, fence)}`;
}
