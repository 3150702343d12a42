import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { setRetention } from "../accounts/accounts.ts";
import { freshDatabase, newAccount, newJob } from "../fresh-database.harness.ts";
import { eraseUnkeptJobs, unkeptJobIds } from "./erase-jobs.ts";
import { findAnyJob, findJob } from "./find-job.ts";

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh[Symbol.asyncDispose]());

/** A job that was created and ended this many hours ago. */
async function endedJob(accountId: string, hoursAgo: number, status: "succeeded" | "failed" = "succeeded") {
  const id = await newJob(fresh.db, accountId, { schemaText: '{"words":"string"}', instructions: "words" });
  const end =
    status === "succeeded"
      ? sql`status = 'succeeded', data = '{"words":""}'::json, billed_seconds = 60, model = 'm'`
      : sql`status = 'failed', error = '{"code":"media_unreadable","message":"words"}'::json`;
  await fresh.db.execute(sql`update jobs set ${end}, started_at = now(), video_url = null,
    created_at = now() - make_interval(hours => ${hoursAgo}::int),
    finished_at = now() - make_interval(hours => ${hoursAgo}::int) where id = ${id}`);
  return id;
}

test("an account's old jobs are erased as by a deletion, after its own number of days", async () => {
  const [day, week, ever] = [await newAccount(fresh.db), await newAccount(fresh.db), await newAccount(fresh.db)];
  await setRetention(fresh.db, day.id, 1);
  await setRetention(fresh.db, week.id, 7);
  const old = [await endedJob(day.id, 25), await endedJob(day.id, 25, "failed"), await endedJob(week.id, 7 * 24 + 1)];
  const kept = [
    [day.id, await endedJob(day.id, 23)],
    [day.id, await newJob(fresh.db, day.id)],
    [week.id, await endedJob(week.id, 25)],
    [ever.id, await endedJob(ever.id, 9000)],
  ] as const;
  expect(await eraseUnkeptJobs(fresh.db, { limit: 2 })).toBe(2);
  expect(await eraseUnkeptJobs(fresh.db, { limit: 2 })).toBe(1);
  expect(await eraseUnkeptJobs(fresh.db, { limit: 2 })).toBe(0);
  for (const id of old) {
    const job = await findAnyJob(fresh.db, id);
    expect(job).toMatchObject({ erasedAt: expect.any(Date), requestHash: "" });
    expect(JSON.stringify(job)).not.toContain("words");
  }
  for (const [accountId, id] of kept) expect(await findJob(fresh.db, { accountId, id })).toBeDefined();
  await setRetention(fresh.db, week.id, null);
  await endedJob(week.id, 9000);
  expect(await eraseUnkeptJobs(fresh.db, { limit: 2 })).toBe(0);
});

test("the erasure reads the old jobs of accounts with a retention, by an index, and no others", async () => {
  const plan = await fresh.db.transaction(async (tx) => {
    // The test's tables are too small for an index.
    await tx.execute(sql`set local enable_seqscan = off`);
    return tx.execute(sql`explain ${unkeptJobIds({ limit: 10 })}`);
  });
  const text = plan.map((row) => String(row["QUERY PLAN"])).join("\n");
  expect(text).toContain("accounts_to_erase");
  expect(text).toMatch(/jobs_listed[\s\S]*Index Cond: .*account_id.*status.*created_at/);
});
