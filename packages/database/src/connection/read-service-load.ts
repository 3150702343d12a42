import type { Sql } from "postgres";

/** The tables whose locks the metrics name. */
const namedTables = ["accounts", "jobs", "ledger"] as const;

type LockedTable = (typeof namedTables)[number] | "other";
type App = "api" | "worker";

/** How busy the whole service is. */
export type ServiceLoad = {
  waitingJobs: number;
  runningJobs: number;
  /** How long the oldest waiting job has waited, in seconds; 0 without one. */
  oldestWaitingSeconds: number;
  /** `lost`: not seen for 15 s, without a shutdown, within the last five minutes. */
  processes: Readonly<Record<App, { live: number; lost: number }>>;
  /** How long the longest wait for a lock has lasted, in seconds, by table; 0 without one. */
  lockWaitSeconds: Readonly<Record<LockedTable, number>>;
};

type Row = { waiting: number; running: number; oldest: number; processes: string; locks: string };

/**
 * Reads how busy the service is. It reads the counts that a trigger updates, not the tables that an operator or a
 * backup may lock: `jobs`, `accounts`, `ledger`.
 */
export async function readServiceLoad(probe: Sql): Promise<ServiceLoad> {
  const [row] = await probe.unsafe<Row[]>(statement);
  if (!row) throw new Error("PostgreSQL sent no row.");
  const processes = { api: { live: 0, lost: 0 }, worker: { live: 0, lost: 0 } };
  for (const [app, state, count] of JSON.parse(row.processes) as [App, "live" | "lost", number][]) {
    processes[app][state] = count;
  }
  const lockWaitSeconds = { accounts: 0, jobs: 0, ledger: 0, other: 0 };
  for (const [table, seconds] of JSON.parse(row.locks) as [LockedTable, number][]) lockWaitSeconds[table] = seconds;
  return {
    waitingJobs: row.waiting,
    runningJobs: row.running,
    oldestWaitingSeconds: row.oldest,
    processes,
    lockWaitSeconds,
  };
}

// A session that waits for a row waits for a transaction. Its lock of the row shows the table.
const statement = `
  with locks as materialized (select * from pg_locks),
  waits as (
    select waiting.pid, max(clock_timestamp() - waiting.waitstart) as lasted
    from locks waiting join pg_stat_activity session on session.pid = waiting.pid and session.datname = current_database()
    where not waiting.granted group by waiting.pid),
  waits_by_table as (
    select coalesce(named.relname, 'other') as name, max(extract(epoch from waits.lasted))::float8 as seconds
    from waits
    left join lateral (
      select relation from locks where locks.pid = waits.pid
        and (locktype = 'tuple' or (locktype = 'relation' and not granted)) limit 1) locked on true
    left join pg_class named on named.oid = locked.relation
      and named.relname in (${namedTables.map((name) => `'${name}'`).join()})
    group by 1),
  processes as (
    select app, case when seen_at > now() - interval '15 seconds' then 'live' else 'lost' end as state,
      count(*)::integer as number
    from workers where seen_at > now() - interval '5 minutes' group by 1, 2)
  select
    coalesce((select sum(waiting) from queue_accounts where is_active), 0)::integer as waiting,
    coalesce((select sum(running) from queue_accounts where is_active), 0)::integer as running,
    greatest(0, coalesce((
      select extract(epoch from clock_timestamp() - min(oldest.created_at)) from queue_accounts account
      cross join lateral (
        select created_at from queue_jobs
        where queue_jobs.account_id = account.account_id and queue_jobs.fetches = account.fetches and ticket is null
        order by created_at limit 1) oldest
      where account.waits), 0))::float8 as oldest,
    coalesce((select json_agg(json_build_array(app, state, number)) from processes), '[]')::text as processes,
    coalesce((select json_agg(json_build_array(name, coalesce(seconds, 0))) from waits_by_table), '[]')::text as locks`;
