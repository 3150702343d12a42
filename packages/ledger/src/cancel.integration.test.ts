import { claimJob, findAnyJob, joinOpenJob } from "@video-to-json/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cancel } from "./cancel.ts";
import { failAndRelease } from "./fail-and-release.ts";
import { answer, failure, freshLedger } from "./fresh-ledger.harness.ts";
import { hold } from "./hold.ts";
import { settle } from "./settle.ts";

let fresh: Awaited<ReturnType<typeof freshLedger>>;
beforeAll(async () => {
  fresh = await freshLedger();
});
afterAll(() => fresh[Symbol.asyncDispose]());

const cancelJob = (jobId: string) => cancel(fresh.db, { jobId, error: failure });

const jobOf = async (accountId: string, mayCancel = true) => {
  const jobId = await fresh.queuedJob(accountId, mayCancel ? 1 : undefined);
  return { jobId, accountId, fence: 1 };
};
const runningJob = async (accountId: string) => {
  const job = await jobOf(accountId);
  await claimJob(fresh.db, job.jobId);
  return job;
};
const join = (accountId: string, mayCancel: boolean) =>
  fresh.db.transaction((tx) => joinOpenJob(tx, { accountId, requestHash: "h", mayCancel }));

test("a queued job and a running job without a hold can be cancelled once", async () => {
  const { id: accountId } = await fresh.newAccount(600);
  const { jobId: queued } = await jobOf(accountId);
  const { jobId: running } = await runningJob(accountId);
  for (const jobId of [queued, running]) {
    expect(await cancelJob(jobId)).toBe(true);
    expect(await findAnyJob(fresh.db, jobId)).toMatchObject({ status: "failed", billedSeconds: 0 });
    expect(await cancelJob(jobId)).toBe(false);
  }
});

test("a job with a hold and a finished job cannot be cancelled", async () => {
  const { id: accountId } = await fresh.newAccount(600);
  const job = await runningJob(accountId);
  await hold(fresh.db, { ...job, seconds: 60 });
  expect(await cancelJob(job.jobId)).toBe(false);
  expect(await settle(fresh.db, { ...job, ...answer })).toBe("settled");
  expect(await cancelJob(job.jobId)).toBe(false);
  expect((await fresh.sums(accountId)).balance).toBe(540);
  const failed = await runningJob(accountId);
  await failAndRelease(fresh.db, { jobId: failed.jobId, error: failure });
  expect(await cancelJob(failed.jobId)).toBe(false);
});

test("the last request that may cancel a job cancels it, and none does once a request that may not has joined", async () => {
  const { id: accountId } = await fresh.newAccount(600);
  const { jobId } = await jobOf(accountId);
  expect(await join(accountId, true)).toBe(jobId);
  expect(await cancelJob(jobId)).toBe(false);
  expect(await findAnyJob(fresh.db, jobId)).toMatchObject({ status: "queued" });
  expect(await cancelJob(jobId)).toBe(true);

  const { jobId: wanted } = await jobOf(accountId);
  expect(await join(accountId, false)).toBe(wanted);
  expect(await join(accountId, true)).toBe(wanted);
  for (let i = 0; i < 3; i++) expect(await cancelJob(wanted)).toBe(false);
  expect(await findAnyJob(fresh.db, wanted)).toMatchObject({ status: "queued" });

  const { jobId: notCancellable } = await jobOf(accountId, false);
  expect(await cancelJob(notCancellable)).toBe(false);
});

test("if a cancellation and a hold race, one wins and the other fails", async () => {
  const { id: accountId } = await fresh.newAccount(6000);
  for (let round = 0; round < 10; round++) {
    const job = await runningJob(accountId);
    const [cancelled, held] = await Promise.all([cancelJob(job.jobId), hold(fresh.db, { ...job, seconds: 60 })]);
    expect(held).toBe(cancelled ? "job_over" : "held");
    await failAndRelease(fresh.db, { jobId: job.jobId, error: failure });
  }
});
