import { randomUUID } from "node:crypto";
import { steadyNow } from "@video-to-json/runtime/timing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { claimJob } from "../fair-share/claim-next-job.ts";
import { freshDatabase, newAccount, newJob } from "../fresh-database.harness.ts";
import { joinOpenJob } from "../waiters/waiters.ts";
import { failJob, handBackJob, lockJob, markCleanedUp, saveDuration, succeedJob } from "./change-job.ts";
import { findAnyJob, findJob } from "./find-job.ts";
import { insertJob } from "./insert-job.ts";

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh[Symbol.asyncDispose]());

const error = { code: "provider_unavailable" as const, message: "later" };

test("a job that is claimed in a transaction older than itself has not started before it was created", async () => {
  await fresh.db.transaction(async (tx) => {
    await tx.execute(sql`select now()`);
    const { accountId, id } = await accountWithJob();
    await claimJob(tx, id);
    const row = await findJob(tx, { id, accountId });
    expect(row?.startedAt?.getTime()).toBeGreaterThanOrEqual(row?.createdAt.getTime() ?? Number.POSITIVE_INFINITY);
  });
});

test("a job runs from its first claim and finishes once, with its answer", async () => {
  const { accountId, id } = await accountWithJob();
  expect(await findJob(fresh.db, { id, accountId })).toMatchObject({
    status: "queued",
    startedAt: null,
    finishedAt: null,
    durationMs: null,
    billedSeconds: 0,
    dataText: null,
    errorText: null,
    fence: 0,
  });
  const claimed = await claimJob(fresh.db, id);
  expect(claimed).toMatchObject({ id, accountId, fence: 1, instructions: null });
  expect(await saveDuration(fresh.db, { id, fence: 1, durationMs: 12_480 })).toBe(true);
  expect(await succeed(id, 1)).toBe(true);
  const row = await findJob(fresh.db, { id, accountId });
  expect(row).toMatchObject({
    status: "succeeded",
    durationMs: 12_480,
    billedSeconds: 60,
    model: "m",
    errorText: null,
  });
  expect(row?.finishedAt?.getTime()).toBeGreaterThanOrEqual(row?.startedAt?.getTime() ?? Number.POSITIVE_INFINITY);

  expect(await succeed(id, 1)).toBe(false);
  expect(await fail(id)).toBe(false);
  expect(await fail(id, 1)).toBe(false);
  expect(await claimJob(fresh.db, id)).toBeUndefined();
  expect(await findJob(fresh.db, { id, accountId })).toEqual({ ...row, msToDeadline: expect.any(Number) });
});

test.each([-3_600_000, 3_600_000])("a worker whose clock is %i ms off gets the database's time", async (offMs) => {
  const { accountId, id } = await accountWithJob();
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + offMs });
  const claimed = await claimJob(fresh.db, id);
  const leftMs = (claimed?.deadlineAt.getTime() ?? 0) - steadyNow();
  expect(leftMs).toBeGreaterThan(0);
  expect(leftMs).toBeLessThanOrEqual(480_000);
  const row = await findJob(fresh.db, { id, accountId });
  expect(row?.deadlineAt.getTime()).toBe((row?.createdAt.getTime() ?? 0) + 480_000);
});

test("a worker with an earlier claim writes nothing", async () => {
  const { accountId, id } = await accountWithJob();
  const first = await claimJob(fresh.db, id);
  const second = await claimJob(fresh.db, id);
  expect([first?.fence, second?.fence]).toEqual([1, 2]);
  expect(await saveDuration(fresh.db, { id, fence: 1, durationMs: 1 })).toBe(false);
  expect(await succeed(id, 1)).toBe(false);
  expect(await fail(id, 1)).toBe(false);
  const row = await findJob(fresh.db, { id, accountId });
  expect(row).toMatchObject({ status: "running", fence: 2, durationMs: null });
  expect(await fail(id, 2)).toBe(true);
});

test("a claim that is not handed back counts as failed; a repeated or returned claim does not", async () => {
  const { id } = await accountWithJob();
  const claim = randomUUID();
  const failed = async (given = claim) => (await claimJob(fresh.db, id, given))?.failedClaims;
  expect([await failed(), await failed()]).toEqual([0, 0]);
  expect(await failed(randomUUID())).toBe(1);
  for (const handedBack of [claim, claim, randomUUID()]) await handBackJob(fresh.db, { id, claim: handedBack });
  expect(await failed(randomUUID())).toBe(1);
  expect(await fail(id)).toBe(true);
  await handBackJob(fresh.db, { id, claim });
});

test("claims of one job that race get different fences", async () => {
  const { id } = await accountWithJob();
  const claims = await Promise.all(Array.from({ length: 20 }, () => claimJob(fresh.db, id)));
  expect(claims.map((claim) => claim?.fence).sort((a = 0, b = 0) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});

test("a queued job can fail but not succeed, and a failed job stays failed", async () => {
  const { accountId, id } = await accountWithJob();
  expect(await succeed(id, 0)).toBe(false);
  expect(await fail(id, 0)).toBe(false);
  expect(await fail(id)).toBe(true);
  const row = await findJob(fresh.db, { id, accountId });
  expect(row).toMatchObject({ status: "failed", startedAt: null, billedSeconds: 0, dataText: null });
  expect(JSON.parse(row?.errorText ?? "")).toEqual(error);
  expect(await claimJob(fresh.db, id)).toBeUndefined();
  expect(await saveDuration(fresh.db, { id, fence: 0, durationMs: 1 })).toBe(false);
});

test("an overdue job and an unknown job cannot be claimed", async () => {
  const { id } = await accountWithJob({ deadlineSeconds: -1 });
  expect(await claimJob(fresh.db, id)).toBeUndefined();
  expect(await claimJob(fresh.db, randomUUID())).toBeUndefined();
});

test("the deadline is as many seconds away as given, also with a fraction", async () => {
  const { id: accountId } = await newAccount(fresh.db);
  const id = randomUUID();
  await fresh.db.transaction((tx) =>
    insertJob(tx, {
      id,
      accountId,
      schemaText: "{}",
      instructions: null,
      videoUrl: null,
      hasUpload: true,
      requestHash: "h",
      deadlineSeconds: 1.5,
    }),
  );
  const row = await findAnyJob(fresh.db, id);
  expect((row?.deadlineAt.getTime() ?? 0) - (row?.createdAt.getTime() ?? 0)).toBe(1500);
});

test("only its own account can read a job", async () => {
  const { accountId, id } = await accountWithJob();
  const other = await newAccount(fresh.db);
  expect(await findJob(fresh.db, { id, accountId: other.id })).toBeUndefined();
  expect(await findJob(fresh.db, { id: randomUUID(), accountId })).toBeUndefined();
  expect(await findJob(fresh.db, { id: "no UUID", accountId })).toBeUndefined();
  expect((await findJob(fresh.db, { id: id.toUpperCase(), accountId }))?.id).toBe(id);
  expect((await findAnyJob(fresh.db, id))?.accountId).toBe(accountId);
  expect(await findAnyJob(fresh.db, "no UUID")).toBeUndefined();
});

test("a second identical request joins the newest open job of its account", async () => {
  const { accountId, id } = await accountWithJob();
  const other = await newAccount(fresh.db);
  const { requestHash } = (await findAnyJob(fresh.db, id)) ?? { requestHash: "" };
  const join = (accountId: string, requestHash: string) =>
    fresh.db.transaction((tx) => joinOpenJob(tx, { accountId, requestHash, callId: randomUUID(), mayCancel: false }));
  expect(await join(accountId, "another request")).toBeUndefined();
  expect(await join(other.id, requestHash)).toBeUndefined();
  expect(await join(accountId, requestHash)).toBe(id);
  await fail(id);
  expect(await join(accountId, requestHash)).toBeUndefined();
});

test("only a finished job is marked as cleaned up, and keeps the first time", async () => {
  const { accountId, id } = await accountWithJob();
  const cleanedAt = async () => (await findJob(fresh.db, { id, accountId }))?.cleanedAt;
  await markCleanedUp(fresh.db, id);
  expect(await cleanedAt()).toBeNull();
  await fail(id);
  await markCleanedUp(fresh.db, id);
  const first = await cleanedAt();
  expect(first).toBeInstanceOf(Date);
  await markCleanedUp(fresh.db, id);
  expect(await cleanedAt()).toEqual(first);
});

test("the record of a clean-up does not wait for the disk, but everything else still does", async () => {
  const { id } = await accountWithJob();
  await fail(id);
  const setting = async (db: Pick<typeof fresh.db, "execute">) =>
    (await db.execute("select current_setting('synchronous_commit') as it"))[0]?.it;
  const inside = await fresh.db.transaction(async (tx) => {
    await markCleanedUp(tx, id);
    return setting(tx);
  });
  expect([inside, await setting(fresh.db)]).toEqual(["off", "on"]);
});

test("only its own account can lock a job", async () => {
  const { accountId, id } = await accountWithJob();
  const other = await newAccount(fresh.db);
  await fresh.db.transaction(async (tx) => {
    expect(await lockJob(tx, { id, accountId })).toEqual({ status: "queued", fence: 0, limitedKeyId: null });
    expect(await lockJob(tx, { id, accountId: other.id })).toBeUndefined();
  });
});

test.for([
  ["an unknown status", "update jobs set status = 'done'"],
  [
    "success without an answer",
    "update jobs set status = 'succeeded', finished_at = now(), billed_seconds = 60, started_at = now(), video_url = null",
  ],
  [
    "success without a charge",
    "update jobs set status = 'succeeded', finished_at = now(), data = '1', started_at = now(), video_url = null",
  ],
  ["a charge without success", "update jobs set billed_seconds = 60"],
  ["a failure without an error", "update jobs set status = 'failed', finished_at = now(), video_url = null"],
  ["a finished job that keeps its URL", `update jobs set status = 'failed', finished_at = now(), error = '{}'`],
  ["an open job without a video", "update jobs set video_url = null"],
  ["an open job with two videos", "update jobs set has_upload = true"],
  ["a running job that never started", "update jobs set status = 'running'"],
])("the database itself refuses %s", async ([, statement]) => {
  const { id } = await accountWithJob({ videoUrl: "https://example.com/v.mp4" });
  const attempt = fresh.db.execute(sql.raw(`${statement} where id = '${id}'`));
  await expect(attempt).rejects.toMatchObject({ cause: { code: "23514" } });
});

async function accountWithJob(given: Parameters<typeof newJob>[2] = {}) {
  const { id: accountId } = await newAccount(fresh.db);
  return { accountId, id: await newJob(fresh.db, accountId, given) };
}

function succeed(id: string, fence: number) {
  return fresh.db.transaction((tx) =>
    succeedJob(tx, { id, fence, dataText: '{"a":1}', model: "m", billedSeconds: 60 }),
  );
}

function fail(id: string, fence?: number) {
  return fresh.db.transaction((tx) => failJob(tx, { id, error, ...(fence !== undefined && { fence }) }));
}
