import { sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { errorCode } from "../tables/jobs.ts";

/** The state of the service over all accounts, according to its jobs. */
export type ServiceState = {
  /** How long the oldest waiting job has waited, in seconds; 0 without waiting jobs. */
  queueWaitSeconds: number;
  /** Whether the provider answered the last job that asked it; null if no job of the last hour asked. */
  isProviderReachable: boolean | null;
  /** When that job finished. */
  providerSeenAt: Date | null;
};

/** Reads the state of the service: two entries of indexes, and the failed jobs of the last minutes at most. */
export async function readServiceState(db: Db): Promise<ServiceState> {
  const code = sql.raw(errorCode);
  const [row] = await db.execute<{ wait: string; code: string | null; seen_ms: string | null }>(sql`
    select (select coalesce(extract(epoch from now() - min(created_at)), 0) from queue_jobs where ticket is null) as wait,
      newest.code, newest.seen_ms
    from (select) one left join lateral (
      select coalesce(${code}, 'none') as code, extract(epoch from finished_at) * 1000 as seen_ms from jobs
      where finished_at is not null and erased_at is null and finished_at > now() - interval '1 hour'
        and (status = 'succeeded' or ${code} in ('extraction_failed', 'provider_unavailable'))
      order by finished_at desc limit 1
    ) newest on true`);
  return {
    queueWaitSeconds: Number(row?.wait ?? 0),
    isProviderReachable: row?.code == null ? null : row.code !== "provider_unavailable",
    providerSeenAt: row?.seen_ms == null ? null : new Date(Number(row.seen_ms)),
  };
}
