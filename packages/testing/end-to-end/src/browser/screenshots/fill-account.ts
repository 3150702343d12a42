import { randomUUID } from "node:crypto";
import postgres from "postgres";

const keys = ["production server", "batch import", "editor plug-in"];
const schema = '{"title":"string","scenes":[{"start":"timestamp","end":"timestamp","what":"string"}]}';
const data =
  '{"title":"A day in the shop","scenes":[{"start":"00:00","end":"00:07","what":"A customer looks around"}]}';
const error =
  '{"code":"extraction_failed","message":"No answer conformed to the schema. Loosen the schema, mark speculative fields optional, or add instructions. Nothing was charged.","details":["/scenes/0/end: must have required property"]}';

/** Inserts a month of work into an account: three keys, `jobs` jobs, refused requests, and the ledger's rows of those that succeeded. */
export async function fillAccount(databaseUrl: string, email: string, jobs: number): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.begin(async (tx) => {
      // The ledger's triggers run row by row for the service's own user.
      await tx`set local session_replication_role = replica`;
      const [account] = await tx<{ id: string }[]>`select id from accounts where email = ${email}`;
      if (!account) throw new Error(`There is no account ${email}.`);
      const ids = keys.map(() => randomUUID());
      for (const [index, id] of ids.entries()) {
        await tx`insert into api_keys (id, account_id, name, sha256, display, created_at, last_used_at)
          values (${id}, ${account.id}, ${keys[index] ?? ""}, sha256(${id}::bytea), ${`v2j_live_${id.slice(0, 6)}`},
            now() - interval '40 days', now() - make_interval(hours => ${index * 7}))`;
      }
      for (const [index, code] of ["schema_invalid", "rate_limited", "out_of_minutes", "unauthorised"].entries()) {
        await tx`insert into refused_requests (account_id, key_id, code, route, minute, count, request_id, last_at)
          select ${account.id}, ${ids[index % 3] ?? ""}, ${code}, 'POST /v1/extract', date_trunc('minute', at),
            ${1 + 40 * index}, ${randomUUID()}, at from (select now() - make_interval(hours => ${index * 5}) as at) moments`;
      }
      const made = await tx<{ id: string; created_at: Date; billed_seconds: number; key_id: string | null }[]>`
        insert into jobs (id, account_id, key_id, status, created_at, started_at, finished_at, deadline_at, schema,
          has_upload, request_hash, duration_ms, billed_seconds, model, data, error, cleaned_at)
        select gen_random_uuid(), ${account.id}, case when n % 7 = 0 then null else (${ids}::uuid[])[1 + (n * n) % 3] end,
          case when n % 9 = 4 then 'failed' else 'succeeded' end, at, at + interval '1 second', at + interval '21 seconds',
          at + interval '480 seconds', ${schema}::text::json, true, '', 20000 + (n * 7919) % 130000,
          case when n % 9 = 4 then 0 else greatest(60, (20000 + (n * 7919) % 130000) / 1000) end, 'gemini-3.5-flash-lite',
          case when n % 9 = 4 then null else ${data}::text::json end, case when n % 9 = 4 then ${error}::text::json end, now()
        from generate_series(1, ${jobs}::int) n,
          lateral (select now() - make_interval(secs => n * 30 * 86400.0 / ${jobs}::int - (n * n * 3571) % 40000) as at) t
        where at < now()
        returning id, created_at, billed_seconds, key_id`;
      const billed = made.filter((job) => job.billed_seconds > 0);
      const total = billed.reduce((sum, job) => sum + job.billed_seconds, 0);
      await tx`insert into ledger (account_id, seconds, kind, reference, created_at)
        values (${account.id}, ${total + 3000}, 'grant', 'Start of the year', now() - interval '35 days')`;
      for (const job of billed.toSorted((one, other) => Number(one.created_at) - Number(other.created_at))) {
        await tx`insert into ledger (account_id, seconds, kind, job_id, created_at)
          values (${account.id}, ${-job.billed_seconds}, 'debit', ${job.id}, ${job.created_at})`;
        await tx`insert into daily_usage (account_id, key_id, day, seconds, jobs)
          values (${account.id}, ${job.key_id}, ${job.created_at}::date, ${job.billed_seconds}, 1)
          on conflict (account_id, key_id, day)
          do update set seconds = daily_usage.seconds + excluded.seconds, jobs = daily_usage.jobs + 1`;
      }
    });
  } finally {
    await sql.end();
  }
}
