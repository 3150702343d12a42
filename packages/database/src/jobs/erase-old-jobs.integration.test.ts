import { sql } from "drizzle-orm";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { Db } from "../connection/open-database.ts";
import { freshDatabase, newAccount, newJob } from "../fresh-database.harness.ts";
import { eraseOldJobs } from "./erase-jobs.ts";
import { findAnyJob, findJob } from "./find-job.ts";
import { listJobs } from "./list-jobs.ts";

let db: Db;
let accountId: string;

beforeEach(async () => {
  const fresh = await freshDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  db = fresh.db;
  accountId = (await newAccount(db)).id;
});

const words = "words-of-the-caller";

/** A job that ended this long ago and contains the caller's words in every column that can. */
async function endedJob(hoursAgo: number, status: "succeeded" | "failed" = "succeeded"): Promise<string> {
  const id = await newJob(db, accountId, { schemaText: `{"${words}":"string"}`, instructions: words });
  const end =
    status === "succeeded"
      ? sql`status = 'succeeded', data = ${`{"${words}":""}`}::json, billed_seconds = 60, model = 'm', duration_ms = 5000`
      : sql`status = 'failed', error = ${`{"code":"media_unreadable","message":"${words}","details":["${words}"]}`}::json`;
  await db.execute(sql`update jobs set ${end}, started_at = now(), video_url = null,
    finished_at = now() - make_interval(hours => ${hoursAgo}::int) where id = ${id}`);
  return id;
}

test("an old job loses its contents but not its charge, and its account no longer finds it", async () => {
  const old = await endedJob(25);
  const failed = await endedJob(25, "failed");
  const young = await endedJob(23);
  const open = await newJob(db, accountId);
  expect(await eraseOldJobs(db, { minAgeHours: 24, limit: 10 })).toBe(2);
  expect(await eraseOldJobs(db, { minAgeHours: 24, limit: 10 })).toBe(0);

  for (const id of [old, failed]) {
    const [stored] = await db.execute(sql`select jobs::text as row from jobs where id = ${id}`);
    expect(stored?.row).not.toContain(words);
    expect(await findJob(db, { id, accountId })).toBeUndefined();
  }
  expect(await findAnyJob(db, old)).toMatchObject({ status: "succeeded", billedSeconds: 60, durationMs: 5000 });
  expect(JSON.parse((await findAnyJob(db, failed))?.errorText ?? "")).toMatchObject({ code: "media_unreadable" });
  const listed = await listJobs(db, { accountId, limit: 10, maxDataBytes: 1_000_000 });
  expect(listed.map(({ id }) => id).sort()).toEqual([young, open].sort());
  expect((await findJob(db, { id: young, accountId }))?.schemaText).toContain(words);
});

test("a batch takes the oldest jobs, and skips locked ones", async () => {
  const [oldest, older, locked] = [await endedJob(50), await endedJob(40), await endedJob(60)];
  await db.transaction(async (other) => {
    await other.execute(sql`select from jobs where id = ${locked} for update`);
    expect(await eraseOldJobs(db, { minAgeHours: 24, limit: 1 })).toBe(1);
  });
  expect(await findJob(db, { id: oldest, accountId })).toBeUndefined();
  expect(await findJob(db, { id: older, accountId })).toBeDefined();
});

test("a batch reads the jobs that it erases, and not the others", async () => {
  const plan = await db.transaction(async (tx) => {
    // The test's table is too small for an index.
    await tx.execute(sql`set local enable_seqscan = off`);
    return tx.execute(sql`explain select id from jobs where finished_at is not null and erased_at is null
      and finished_at <= now() - make_interval(hours => 24) order by finished_at limit 10`);
  });
  expect(JSON.stringify(plan)).toContain("Index Scan using jobs_unerased");
});
