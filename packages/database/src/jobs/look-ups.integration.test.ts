import { type SQL, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimJob } from "../fair-share/claim-next-job.ts";
import { freshDatabase, newAccount, newJob } from "../fresh-database.harness.ts";
import { failJob, succeedJob } from "./change-job.ts";
import { eraseJob } from "./erase-jobs.ts";
import { findRecentSuccess, recentSuccess } from "./find-job.ts";
import { listJobs, newestJobIdsOfUrl } from "./list-jobs.ts";

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh[Symbol.asyncDispose]());

const account = async () => (await newAccount(fresh.db)).id;
const clip = "https://example.com/clip.mp4?token=secret";

async function succeededJob(accountId: string, given: Parameters<typeof newJob>[2] = {}, dataText = '{"a":1}') {
  const id = await newJob(fresh.db, accountId, given);
  const { fence = 0 } = (await claimJob(fresh.db, id)) ?? {};
  await fresh.db.transaction((tx) => succeedJob(tx, { id, fence, dataText, model: "m", billedSeconds: 60 }));
  return id;
}

test("an account's jobs are listed newest first, with answers up to the limit of bytes", async () => {
  const accountId = await account();
  await newJob(fresh.db, await account());
  const texts = ['{"n":1}', '{"n":2}', '{"n":3}'];
  const ids: string[] = [];
  for (const text of texts) ids.unshift(await succeededJob(accountId, {}, text));
  const list = (limit: number, maxDataBytes = 1000) => listJobs(fresh.db, { accountId, limit, maxDataBytes });
  expect((await list(10)).map(({ id }) => id)).toEqual(ids);
  expect((await list(2)).map(({ id }) => id)).toEqual(ids.slice(0, 2));
  expect((await list(10)).map(({ dataText }) => dataText)).toEqual(texts.toReversed());
  expect((await list(10, 15)).map(({ dataText }) => dataText)).toEqual(['{"n":3}', '{"n":2}', null]);
  expect(Object.keys((await list(1))[0] ?? {})).not.toContain("schemaText");
});

test("a job is found by its URL when the URL is deleted, by its account only, and not when it was erased", async () => {
  const [accountId, stranger] = [await account(), await account()];
  const find = async (videoUrl: string, owner = accountId) =>
    (await listJobs(fresh.db, { accountId: owner, limit: 10, maxDataBytes: 0, videoUrl })).map(({ id }) => id);
  const older = await succeededJob(accountId, { videoUrl: clip });
  const erased = await succeededJob(accountId, { videoUrl: clip });
  const newer = await newJob(fresh.db, accountId, { videoUrl: clip });
  await newJob(fresh.db, accountId, { videoUrl: null, hasUpload: true });
  await eraseJob(fresh.db, { id: erased, accountId });
  expect(await find(clip)).toEqual([newer, older]);
  expect(await find(`${clip}2`)).toEqual([]);
  expect(await find(clip, stranger)).toEqual([]);
  const [stored] = await fresh.db.execute(sql`select jobs::text as row from jobs where id = ${older}`);
  expect(stored?.row).not.toContain("example.com");
  const [gone] = await fresh.db.execute(sql`select video_url_sha256 as hash from jobs where id = ${erased}`);
  expect(gone?.hash).toBeNull();
});

test("the newest success of an identical request is found until it is too old, and never a failed or erased job", async () => {
  const accountId = await account();
  const requestHash = "identical";
  const find = (owner = accountId, maxAgeSeconds = 600) =>
    findRecentSuccess(fresh.db, { accountId: owner, requestHash, maxAgeSeconds });
  const failed = await newJob(fresh.db, accountId, { requestHash });
  const error = { code: "internal_error", message: "m" } as const;
  await fresh.db.transaction((tx) => failJob(tx, { id: failed, error }));
  await newJob(fresh.db, accountId, { requestHash });
  await succeededJob(accountId, { requestHash: "another" });
  expect(await find()).toBeUndefined();

  const first = await succeededJob(accountId, { requestHash });
  const second = await succeededJob(accountId, { requestHash });
  expect(await find()).toBe(second);
  expect(await find(await account())).toBeUndefined();
  // As after JOB_RETENTION_DAYS, when the hash of the request stays.
  await fresh.db.execute(sql`update jobs set erased_at = now() where id = ${second}`);
  expect(await find()).toBe(first);
  for (const [seconds, found] of [
    [599, first],
    [601, undefined],
  ] as const) {
    await fresh.db.execute(sql`update jobs set finished_at = now() - ${seconds} * interval '1 s' where id = ${first}`);
    expect(await find()).toBe(found);
  }
});

type Plan = { "Index Name"?: string; "Actual Rows": number; "Rows Removed by Filter"?: number; Plans?: Plan[] };
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

test("both look-ups read what they return from their index, among thousands of jobs", async () => {
  const accountId = await account();
  await fresh.db.execute(sql`
    insert into jobs (id, account_id, status, created_at, started_at, finished_at, deadline_at, schema, has_upload,
      request_hash, video_url_sha256, data, billed_seconds)
    select gen_random_uuid(), ${accountId}, 'succeeded', now() - i * interval '1 s', now(), now() - i * interval '1 s',
      now(), '{}', false, 'h' || i % 500, sha256(convert_to(${clip} || i % 60, 'UTF8')), '{}', 60
    from generate_series(1, 6000) i`);
  await fresh.db.execute(sql`analyze jobs`);
  const recent = recentSuccess(fresh.db, { accountId, requestHash: "h7", maxAgeSeconds: 600 });
  const ofUrl = newestJobIdsOfUrl({ accountId, videoUrl: `${clip}7`, limit: 10 });
  for (const [query, index, rows] of [
    [recent.getSQL(), "jobs_to_replay", 1],
    [ofUrl, "jobs_of_url", 10],
  ] as [SQL, string, number][]) {
    const [row] = await fresh.db.execute(sql`explain (analyze, timing off, format json) ${query}`);
    const [{ Plan: plan }] = JSON.parse(String(row?.["QUERY PLAN"])) as [{ Plan: Plan }];
    const scan = nodesOf(plan).find((node) => node["Index Name"] !== undefined);
    expect(scan).toMatchObject({ "Index Name": index, "Actual Rows": rows });
    expect(scan?.["Rows Removed by Filter"] ?? 0).toBe(0);
  }
});
