import { randomUUID } from "node:crypto";
import { runsAllTests } from "@video-to-json/testing";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Db } from "../connection/open-database.ts";
import { freshDatabase } from "../fresh-database.harness.ts";
import { claimNextJob, claimText } from "./claim-next-job.ts";

const workerId = randomUUID();
const jobCount = runsAllTests ? 100_000 : 5_000;
/** Reading every account would read more than 10,000 pages. */
const maxPages = 300;

test(`with ${jobCount} jobs of 1,000 accounts, every account's oldest job starts before any account's second`, async () => {
  await using fresh = await freshDatabase();
  await fill(fresh.db, { accounts: 1000, jobs: jobCount });
  const claim = async (ticket: string) => {
    // A claim that waits too long for another one's lock on a slow machine says "not yet", and a worker repeats it.
    let job: Awaited<ReturnType<typeof claimNextJob>>;
    do job = await claimNextJob(fresh.db, { ticket, workerId, places: 2000 });
    while (job === "not yet");
    return job;
  };
  const claimAll = (count: number) => Promise.all(Array.from({ length: count }, () => claim(randomUUID())));
  const first = await claimAll(1000);
  const oldest = await fresh.db.execute<{ id: string }>(sql`
    select distinct on (account_id) id from jobs order by account_id, created_at, id`);
  const idOf = (job: (typeof first)[number]) => (typeof job === "string" ? job : job.id);
  expect(new Set(first.map(idOf))).toEqual(new Set(oldest.map(({ id }) => id)));
  const second = await claimAll(1000);
  expect(new Set(second.map((job) => (typeof job === "string" ? job : job.accountId))).size).toBe(1000);
});

test(`the next of ${jobCount} jobs of 1,000 accounts is found by reading a few pages, as the next of a hundred is`, async () => {
  await using few = await freshDatabase();
  await using many = await freshDatabase();
  await fill(few.db, { accounts: 10, jobs: 100 });
  await fill(many.db, { accounts: 1000, jobs: jobCount });
  expect(await pagesRead(few.db)).toBeLessThan(maxPages);
  expect(await pagesRead(many.db)).toBeLessThan(maxPages);

  // Claims leave old versions of the accounts' rows behind. The next search that meets them makes the server remove
  // them.
  const claims = Array.from({ length: 1500 }, () =>
    claimNextJob(many.db, { ticket: randomUUID(), workerId, places: 1500 }),
  );
  await Promise.all(claims);
  await expect.poll(() => pagesRead(many.db)).toBeLessThan(maxPages);
});

async function fill(db: Db, { accounts, jobs }: { accounts: number; jobs: number }): Promise<void> {
  await db.execute(sql`insert into accounts (email) select n || '@example.com' from generate_series(1, ${accounts}) n`);
  // One transaction with a hundred thousand changes of these rows would leave more old versions than hours of normal
  // work.
  await db.execute(sql`alter table jobs disable trigger jobs_track_open`);
  await db.execute(sql`alter table queue_jobs disable trigger queue_jobs_count`);
  await db.execute(sql`
    insert into jobs (id, account_id, deadline_at, schema, has_upload, request_hash)
    select gen_random_uuid(), ids[1 + n % ${accounts}], now() + interval '1 hour', '{}', true, 'hash'
    from generate_series(1, ${jobs}) n, (select array_agg(id) ids from accounts) a`);
  await db.execute(sql`alter table jobs enable trigger jobs_track_open`);
  await db.execute(
    sql`insert into queue_jobs (job_id, account_id, created_at) select id, account_id, created_at from jobs`,
  );
  await db.execute(sql`
    insert into queue_accounts (account_id, waiting) select account_id, count(*) from jobs group by account_id`);
  await db.execute(sql`alter table queue_jobs enable trigger queue_jobs_count`);
  await db.execute(sql`vacuum analyze`);
}

/** Returns how many pages of tables and indexes a claim reads: with a plan for its values, or with one for any values. */
async function pagesRead(db: Db): Promise<number> {
  const ids = { ticket: randomUUID(), claim: randomUUID(), worker: workerId };
  const values: Record<string, string> = { ...ids, places: "32", understands: "{}", fetches: "false" };
  const names = Object.keys(values);
  const claim = claimText.replace(/:'(\w+)'/g, (_, name) => `$${names.indexOf(name) + 1}`);
  const given = names.map((name) => `'${values[name]}'`).join(", ");
  const pages: number[] = [];
  for (const mode of ["force_custom_plan", "force_generic_plan"]) {
    const undone = db.transaction(async (tx) => {
      await tx.execute(`set local plan_cache_mode = ${mode}`);
      await tx.execute(`prepare claim as ${claim}`);
      const [row] = await tx.execute<{ "QUERY PLAN": string }>(
        `explain (analyze, buffers, format json) execute claim(${given})`,
      );
      await tx.execute("deallocate claim");
      const [{ Plan: plan }] = JSON.parse(String(row?.["QUERY PLAN"]));
      pages.push(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]);
      tx.rollback();
    });
    await undone.catch(() => {});
  }
  return pages.length === 2 ? Math.max(...pages) : Number.NaN;
}
