import type { Db } from "@video-to-json/database";

const schema = JSON.stringify({ title: "string", scenes: [{ at: "timestamp", what: "string", who: "string?" }] });
const scene = { at: "00:07", what: "someone opens the door of a small shop and looks around", who: "a customer" };
const data = JSON.stringify({ title: "A day in the shop", scenes: Array(4).fill(scene) });
const mostAtOnce = 100_000;

/**
 * Inserts succeeded jobs, one for each second before now. One in `share` belongs to the account, the others to a
 * thousand new accounts. Then updates the statistics of the table.
 */
export async function fillJobs(
  db: Db,
  { accountId, count, share }: { accountId: string; count: number; share: number },
): Promise<void> {
  await db.execute(`
    insert into accounts (email) select 'bench-' || n || '@example.com' from generate_series(1, 1000) n
    on conflict do nothing`);
  for (let from = 0; from < count; from += mostAtOnce) {
    const to = Math.min(count, from + mostAtOnce);
    await db.execute(`
      with others as (
        select array_agg(id) as ids from accounts where email like 'bench-%'
      )
      insert into jobs (id, account_id, status, created_at, started_at, finished_at, deadline_at, schema, has_upload,
        request_hash, duration_ms, billed_seconds, model, data, cleaned_at)
      select gen_random_uuid(), case when n % ${share} = 0 then '${accountId}'::uuid else others.ids[1 + n % 1000] end,
        'succeeded', at, at + interval '1 second', at + interval '20 seconds', at + interval '480 seconds',
        '${schema}', true, md5(n::text) || md5(n::text), 12480, 60, 'gemini-3.5-flash-lite', '${data}',
        at + interval '21 seconds'
      from others, generate_series(${from}, ${to - 1}) n, lateral (select now() - make_interval(secs => n) as at) moments`);
  }
  await db.execute("vacuum analyze jobs");
  // Pending writes would slow the measurement. A checkpoint needs a privilege that not every user has.
  await db.execute("checkpoint").catch(() => {});
}
