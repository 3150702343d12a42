import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimJob } from "../fair-share/claim-next-job.ts";
import { findAnyJob } from "../jobs/find-job.ts";
import { joinOpenJob } from "../waiters/waiters.ts";
import { cancel, failAndRelease } from "./cancel.ts";
import { answer, failure, freshLedger } from "./fresh-ledger.harness.ts";
import { hold } from "./hold.ts";
import { settle } from "./settle.ts";

let fresh: Awaited<ReturnType<typeof freshLedger>>;
beforeAll(async () => {
  fresh = await freshLedger();
});
afterAll(() => fresh[Symbol.asyncDispose]());

/** Withdraws a call from a job: by default the call that created the job. */
const cancelJob = (jobId: string, callId = creators.get(jobId) ?? randomUUID()) =>
  cancel(fresh.db, { jobId, callId, error: failure });

const creators = new Map<string, string>();
const jobOf = async (accountId: string, mayCancel = true) => {
  const creator = randomUUID();
  const jobId = await fresh.queuedJob(accountId, mayCancel ? creator : undefined);
  creators.set(jobId, creator);
  return { jobId, accountId, fence: 1 };
};
const runningJob = async (accountId: string) => {
  const job = await jobOf(accountId);
  await claimJob(fresh.db, job.jobId);
  return job;
};
const join = (accountId: string, mayCancel: boolean, callId = randomUUID()) =>
  fresh.db.transaction((tx) => joinOpenJob(tx, { accountId, requestHash: "h", callId, mayCancel }));
const statusOf = async (jobId: string) => (await findAnyJob(fresh.db, jobId))?.status;

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

test("the last waiter that may cancel a job cancels it, unless a call that may not cancel has joined", async () => {
  const { id: accountId } = await fresh.newAccount(600);
  const { jobId } = await jobOf(accountId);
  const second = randomUUID();
  expect(await join(accountId, true, second)).toBe(jobId);
  expect(await cancelJob(jobId)).toBe(false);
  expect(await statusOf(jobId)).toBe("queued");
  expect(await cancelJob(jobId, second)).toBe(true);

  const { jobId: wanted } = await jobOf(accountId);
  const third = randomUUID();
  expect(await join(accountId, false)).toBe(wanted);
  expect(await join(accountId, true, third)).toBe(wanted);
  for (const callId of [undefined, third]) expect(await cancelJob(wanted, callId)).toBe(false);
  expect(await statusOf(wanted)).toBe("queued");
});

test("a call that joins a job that no call may cancel does not cancel it", async () => {
  const { id: accountId } = await fresh.newAccount(600);
  const { jobId } = await jobOf(accountId, false);
  const callId = randomUUID();
  expect(await join(accountId, true, callId)).toBe(jobId);
  expect(await cancelJob(jobId, callId)).toBe(false);
  expect(await statusOf(jobId)).toBe("queued");
});

test("a repeated cancellation counts once: the waiter that stays keeps its job", async () => {
  const { id: accountId } = await fresh.newAccount(600);
  const { jobId } = await jobOf(accountId);
  const stays = randomUUID();
  await join(accountId, true, stays);
  for (let attempt = 0; attempt < 3; attempt++) expect(await cancelJob(jobId)).toBe(false);
  expect(await statusOf(jobId)).toBe("queued");
  expect(await cancelJob(jobId, stays)).toBe(true);
});

test("a repeated join counts once: the job ends when both waiters have left", async () => {
  const { id: accountId } = await fresh.newAccount(600);
  const { jobId } = await jobOf(accountId);
  const second = randomUUID();
  for (let attempt = 0; attempt < 3; attempt++) expect(await join(accountId, true, second)).toBe(jobId);
  expect(await cancelJob(jobId)).toBe(false);
  expect(await cancelJob(jobId, second)).toBe(true);
});

test("a waiter of another job, or of no job, cancels nothing", async () => {
  const { id: accountId } = await fresh.newAccount(600);
  const { jobId } = await jobOf(accountId);
  const { id: otherAccount } = await fresh.newAccount(600);
  const { jobId: other } = await jobOf(otherAccount);
  expect(await cancelJob(jobId, creators.get(other))).toBe(false);
  expect(await cancelJob(jobId, randomUUID())).toBe(false);
  expect(await Promise.all([jobId, other].map(statusOf))).toEqual(["queued", "queued"]);
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
