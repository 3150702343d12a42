import { type Db, listJobs } from "@video-to-json/database";
import type { Benchmark, Run } from "../benchmark.ts";
import { createCaller } from "../calls.ts";
import { figure, type Measurement } from "../figure.ts";
import { type Service, startService } from "../service.ts";
import { type Latencies, latenciesOf } from "../times.ts";

/** Reading jobs from a full table and from an empty one. */
export const readJobs: Benchmark = {
  name: "read-job",
  title: "Reading a job",
  how: "GET /v1/jobs/{id}, and the newest jobs of an account, on a table of a million jobs, beside an empty one",
  measure: measureReadJob,
};

const mostMs = 5;
const fewJobs = 100;
const share = 10;

/** Measures the latency of reads before and after it inserts jobs, of which one in ten belongs to the account. */
async function measureReadJob(run: Run): Promise<Measurement> {
  const { jobs, requests } = run.quick ? { jobs: 10_000, requests: 300 } : { jobs: 1_000_000, requests: 3000 };
  run.tell("Starting Postgres, Redis and an API …");
  await using service = await startService(run, {});
  const account = await service.openAccount();
  await fillJobs(service.db, { accountId: account.id, count: fewJobs, share: 1 });
  const empty = await readEach(service, account, requests);
  run.tell(`Putting ${jobs.toLocaleString("en")} jobs in …`);
  await fillJobs(service.db, { accountId: account.id, count: jobs, share });
  const full = await readEach(service, account, requests);
  const ofAccount = fewJobs + Math.ceil(jobs / share);
  return {
    figures: Object.entries(full).flatMap(([what, latencies], index) =>
      (["p50", "p99"] as const).map((part) =>
        figure(`${what}, ${part}`, "ms", latencies[part], {
          beside: ["empty table", empty[what]?.[part] ?? Number.NaN],
          most: index === 0 && part === "p50" ? mostMs : undefined,
        }),
      ),
    ),
    conditions: [`${(fewJobs + jobs).toLocaleString("en")} jobs, ${ofAccount.toLocaleString("en")} of the caller`],
  };
}

async function readEach(
  service: Service,
  { id: accountId, key }: { id: string; key: string },
  requests: number,
): Promise<Record<string, Latencies>> {
  const rows = await service.db.execute(`
    select id from jobs where account_id = '${accountId}' order by md5(id::text) limit 5000`);
  const read = async (together: number) => {
    using caller = createCaller({ ...service, apiKey: key }, together);
    let next = 0;
    const get = async () => {
      const path = `/v1/jobs/${rows[next++ % rows.length]?.id}`;
      const { status } = await caller.send({ method: "GET", path });
      if (status !== 200) throw new Error(`GET ${path} answers ${status}.`);
    };
    return await latenciesOf(get, { times: requests, together });
  };
  const list = (limit: number) =>
    latenciesOf(() => listJobs(service.db, { accountId, limit, maxDataBytes: 2 ** 24 }), {
      ...{ times: requests / 10, together: 1 },
    });
  return {
    "GET /v1/jobs/{id}, 1 at a time": await read(1),
    "GET /v1/jobs/{id}, 8 at a time": await read(8),
    "newest 10 jobs, from the database": await list(10),
    "newest 50 jobs, from the database": await list(50),
  };
}

const schema = JSON.stringify({ title: "string", scenes: [{ at: "timestamp", what: "string", who: "string?" }] });
const scene = { at: "00:07", what: "someone opens the door of a small shop and looks around", who: "a customer" };
const data = JSON.stringify({ title: "A day in the shop", scenes: Array(4).fill(scene) });
const mostAtOnce = 100_000;

/** Inserts succeeded jobs, one for each second before now. One in `share` belongs to the account. */
async function fillJobs(
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
