import { findAnyJob, shareOpenJob } from "@video-to-json/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cancel } from "./cancel.ts";
import { endUncharged } from "./end-uncharged.ts";
import { answer, failure, freshLedger } from "./fresh-ledger.ts";
import { hold } from "./hold.ts";
import { settle } from "./settle.ts";

let fresh: Awaited<ReturnType<typeof freshLedger>>;
beforeAll(async () => {
  fresh = await freshLedger();
});
afterAll(() => fresh[Symbol.asyncDispose]());

const cancelJob = (jobId: string) => cancel(fresh.db, { jobId, error: failure });

test("a job that waits, or runs without a hold, can be cancelled once", async () => {
  const { id: accountId } = await fresh.newAccount(600);
  const queued = await fresh.queuedJob(accountId);
  const { jobId: running } = await fresh.runningJob(accountId);
  for (const jobId of [queued, running]) {
    expect(await cancelJob(jobId)).toBe(true);
    expect(await findAnyJob(fresh.db, jobId)).toMatchObject({ status: "failed", billedSeconds: 0 });
    expect(await cancelJob(jobId)).toBe(false);
  }
});

test("a job with seconds on hold cannot be cancelled, and neither can one that ended", async () => {
  const { id: accountId } = await fresh.newAccount(600);
  const job = await fresh.runningJob(accountId);
  await hold(fresh.db, { ...job, seconds: 60 });
  expect(await cancelJob(job.jobId)).toBe(false);
  expect(await settle(fresh.db, { ...job, ...answer })).toBe("settled");
  expect(await cancelJob(job.jobId)).toBe(false);
  expect((await fresh.sums(accountId)).balance).toBe(540);
  const failed = await fresh.runningJob(accountId);
  await endUncharged(fresh.db, { jobId: failed.jobId, error: failure });
  expect(await cancelJob(failed.jobId)).toBe(false);
});

test("a job that a second call waits for cannot be cancelled", async () => {
  const { id: accountId } = await fresh.newAccount(600);
  const jobId = await fresh.queuedJob(accountId);
  await fresh.db.transaction((tx) => shareOpenJob(tx, { accountId, requestHash: "h" }));
  expect(await cancelJob(jobId)).toBe(false);
  expect(await findAnyJob(fresh.db, jobId)).toMatchObject({ status: "queued" });
});

test("of a cancellation and a hold that race, one wins and the other sees it", async () => {
  const { id: accountId } = await fresh.newAccount(6000);
  for (let round = 0; round < 10; round++) {
    const job = await fresh.runningJob(accountId);
    const [cancelled, held] = await Promise.all([cancelJob(job.jobId), hold(fresh.db, { ...job, seconds: 60 })]);
    expect(held).toBe(cancelled ? "job_over" : "held");
    await endUncharged(fresh.db, { jobId: job.jobId, error: failure });
  }
});
