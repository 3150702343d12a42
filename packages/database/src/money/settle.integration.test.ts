import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimJob } from "../fair-share/claim-next-job.ts";
import { findAnyJob } from "../jobs/find-job.ts";
import { failAndRelease } from "./cancel.ts";
import { addCost, listCosts } from "./cost.ts";
import { answer, failure, freshLedger } from "./fresh-ledger.harness.ts";
import { hold } from "./hold.ts";
import { settle } from "./settle.ts";

let fresh: Awaited<ReturnType<typeof freshLedger>>;
beforeAll(async () => {
  fresh = await freshLedger();
});
afterAll(() => fresh[Symbol.asyncDispose]());

test("settle stores the answer, captures the hold and writes the debit", async () => {
  const { accountId, job } = await heldJob(600, 90);
  expect(await settle(fresh.db, { ...job, ...answer, billedSeconds: 90 })).toBe("settled");
  expect(await findAnyJob(fresh.db, job.jobId)).toMatchObject({
    status: "succeeded",
    dataText: answer.dataText,
    model: "model",
    billedSeconds: 90,
  });
  expect(await debits(job.jobId)).toEqual([{ account_id: accountId, seconds: -90 }]);
  expect(await holdState(job.jobId)).toBe("captured");
  expect(await fresh.sums(accountId)).toEqual({ balance: 510, available: 510 });
});

test("each run adds what it cost to the costs of its account, once, whether it succeeds, fails or is given back", async () => {
  const effort = { attempts: 1, stages: {}, tokens: 1000, dollars: 0.25, processorMs: 1500 };
  const { accountId, job } = await heldJob(600, 60);
  await addCost(fresh.db, accountId, effort);
  for (let n = 0; n < 2; n++) await settle(fresh.db, { ...job, ...answer, effort });
  const failed = await fresh.runningJob(accountId);
  for (let n = 0; n < 2; n++) await failAndRelease(fresh.db, { ...failed, error: failure, effort });
  const costs = await listCosts(fresh.db, 1);
  expect(costs).toMatchObject([{ tokens: 3000, dollars: 0.75, processorSeconds: 4.5, billedSeconds: 60 }]);
});

test("eighty duplicate settles make one debit", async () => {
  const { accountId, job } = await heldJob(600, 60);
  const outcomes = await Promise.all(Array.from({ length: 80 }, () => settle(fresh.db, { ...job, ...answer })));
  expect(outcomes.filter((outcome) => outcome === "settled")).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === "already")).toHaveLength(79);
  expect(await debits(job.jobId)).toHaveLength(1);
  expect(await fresh.sums(accountId)).toEqual({ balance: 540, available: 540 });
});

test("a charge may be lower than the hold, and the rest becomes available", async () => {
  const { accountId, job } = await heldJob(100, 100);
  expect(await settle(fresh.db, { ...job, ...answer })).toBe("settled");
  expect(await fresh.sums(accountId)).toEqual({ balance: 40, available: 40 });
});

test("a charge above the hold is refused: nothing is stored or charged, and the hold stays", async () => {
  const { accountId, job } = await heldJob(100, 60);
  await expect(settle(fresh.db, { ...job, ...answer, billedSeconds: 61 })).rejects.toThrow("no open hold covers 61 s");
  expect(await findAnyJob(fresh.db, job.jobId)).toMatchObject({ status: "running", dataText: null });
  expect(await fresh.sums(accountId)).toEqual({ balance: 100, available: 40 });
  expect(await settle(fresh.db, { ...job, ...answer })).toBe("settled");
});

test("a job without a hold cannot be charged", async () => {
  const { id: accountId } = await fresh.newAccount(600);
  const job = await fresh.runningJob(accountId);
  await expect(settle(fresh.db, { ...job, ...answer })).rejects.toThrow("no open hold");
  expect(await fresh.sums(accountId)).toEqual({ balance: 600, available: 600 });
});

test("an answer that cannot be stored is not charged", async () => {
  const { accountId, job } = await heldJob(600, 60);
  await expect(settle(fresh.db, { ...job, ...answer, dataText: "{not JSON" })).rejects.toThrow();
  expect(await fresh.sums(accountId)).toEqual({ balance: 600, available: 540 });
  expect(await settle(fresh.db, { ...job, ...answer })).toBe("settled");
});

test("a worker with an earlier claim neither stores nor charges; the current one does, with the same hold", async () => {
  const { accountId, job } = await heldJob(600, 60);
  await claimJob(fresh.db, job.jobId);
  expect(await settle(fresh.db, { ...job, ...answer })).toBe("job_over");
  expect(await failAndRelease(fresh.db, { jobId: job.jobId, fence: 1, error: failure })).toBe(false);
  expect(await settle(fresh.db, { ...job, fence: 2, ...answer })).toBe("settled");
  expect(await settle(fresh.db, { ...job, ...answer })).toBe("already");
  expect((await fresh.sums(accountId)).balance).toBe(540);
});

test("an account is not charged for another account's job", async () => {
  const { job } = await heldJob(600, 60);
  const other = await fresh.newAccount(600);
  expect(await settle(fresh.db, { ...job, accountId: other.id, ...answer })).toBe("job_over");
  expect((await fresh.sums(other.id)).balance).toBe(600);
});

test("a failure without charge releases the hold, once", async () => {
  const { accountId, job } = await heldJob(600, 60);
  const ends = await Promise.all(
    Array.from({ length: 20 }, () => failAndRelease(fresh.db, { jobId: job.jobId, fence: 1, error: failure })),
  );
  expect(ends.filter(Boolean)).toHaveLength(1);
  expect(await holdState(job.jobId)).toBe("released");
  expect(await fresh.sums(accountId)).toEqual({ balance: 600, available: 600 });
  const row = await findAnyJob(fresh.db, job.jobId);
  expect(row).toMatchObject({ status: "failed", billedSeconds: 0, dataText: null });
  expect(JSON.parse(row?.errorText ?? "")).toEqual(failure);
  expect(await settle(fresh.db, { ...job, ...answer })).toBe("job_over");
});

test("a job can fail without charge before it runs or has a hold", async () => {
  const { id: accountId } = await fresh.newAccount(600);
  const jobId = await fresh.queuedJob(accountId);
  expect(await failAndRelease(fresh.db, { jobId, fence: 1, error: failure })).toBe(false);
  expect(await failAndRelease(fresh.db, { jobId, error: failure })).toBe(true);
  expect(await failAndRelease(fresh.db, { jobId: "00000000-0000-4000-8000-000000000000", error: failure })).toBe(false);
});

test("if a settle and a failure race, one wins, and no hold stays open", async () => {
  const { id: accountId } = await fresh.newAccount(60 * 60);
  const jobs = await Promise.all(Array.from({ length: 60 }, () => fresh.runningJob(accountId)));
  for (const job of jobs) await hold(fresh.db, { ...job, seconds: 60 });
  const races = await Promise.all(
    jobs.map(async (job, index) => {
      const settling = () => settle(fresh.db, { ...job, ...answer });
      const ending = () => failAndRelease(fresh.db, { jobId: job.jobId, error: failure });
      if (index % 2) return await Promise.all([settling(), ending()]);
      const [ended, settled] = await Promise.all([ending(), settling()]);
      return [settled, ended] as const;
    }),
  );
  for (const [settled, ended] of races)
    expect([settled, ended]).toEqual(ended ? ["job_over", true] : ["settled", false]);
  const charged = races.filter(([settled]) => settled === "settled").length;
  expect(await fresh.sums(accountId)).toEqual({ balance: 3600 - charged * 60, available: 3600 - charged * 60 });
});

test("all operations on one account's money can race without a deadlock, and the sums are right", async () => {
  const { id: accountId } = await fresh.newAccount(60 * 30);
  const ends = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const job = await fresh.runningJob(accountId);
      if ((await hold(fresh.db, { ...job, seconds: 60 })) !== "held") {
        return failAndRelease(fresh.db, { jobId: job.jobId, error: failure });
      }
      await claimJob(fresh.db, job.jobId);
      const [settled] = await Promise.all([
        settle(fresh.db, { ...job, fence: 2, ...answer }),
        hold(fresh.db, { ...job, fence: 2, seconds: 60 + (index % 3) }),
        settle(fresh.db, { ...job, ...answer }),
        claimJob(fresh.db, job.jobId),
        failAndRelease(fresh.db, { jobId: job.jobId, fence: 9, error: failure }),
      ]);
      return settled;
    }),
  );
  const { balance, available } = await fresh.sums(accountId);
  const settled = ends.filter((end) => end === "settled" || end === "already").length;
  expect(balance).toBe(1800 - settled * 60);
  expect(available).toBeGreaterThanOrEqual(0);
});

test("deleting an account deletes its running job, and nothing is charged", async () => {
  const { accountId, job } = await heldJob(600, 60);
  const [, settled] = await Promise.all([
    fresh.db.execute(sql`delete from accounts where id = ${accountId}`),
    settle(fresh.db, { ...job, ...answer }),
  ]);
  expect(["settled", "job_over"]).toContain(settled);
  expect(await findAnyJob(fresh.db, job.jobId)).toBeUndefined();
  expect(await settle(fresh.db, { ...job, ...answer })).toBe("job_over");
});

async function heldJob(balance: number, seconds: number) {
  const { id: accountId } = await fresh.newAccount(balance);
  const job = await fresh.runningJob(accountId);
  expect(await hold(fresh.db, { ...job, seconds })).toBe("held");
  return { accountId, job };
}

function debits(jobId: string) {
  return fresh.db.execute(sql`select account_id, seconds from ledger where job_id = ${jobId}`);
}

async function holdState(jobId: string) {
  const [row] = await fresh.db.execute(sql`select state from holds where job_id = ${jobId}`);
  return row?.state;
}
