import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimJob } from "../fair-share/claim-next-job.ts";
import { available, balance } from "./balance.ts";
import { failAndRelease } from "./cancel.ts";
import { failure, freshLedger } from "./fresh-ledger.harness.ts";
import { grant } from "./grant.ts";
import { hold } from "./hold.ts";

let fresh: Awaited<ReturnType<typeof freshLedger>>;
beforeAll(async () => {
  fresh = await freshLedger();
});
afterAll(() => fresh[Symbol.asyncDispose]());

test("two hundred racing holds never take the available seconds below zero", async () => {
  const { id: accountId } = await fresh.newAccount(630);
  const running = await Promise.all(Array.from({ length: 200 }, () => fresh.runningJob(accountId)));
  const outcomes = await Promise.all(running.map((job) => hold(fresh.db, { ...job, seconds: 60 })));
  expect(outcomes.filter((outcome) => outcome === "held")).toHaveLength(10);
  expect(outcomes.filter((outcome) => outcome === "out_of_minutes")).toHaveLength(190);
  expect(await fresh.sums(accountId)).toEqual({ balance: 630, available: 30 });
});

test("a hold lowers the available seconds and leaves the balance", async () => {
  const { id: accountId } = await fresh.newAccount(100);
  expect(await hold(fresh.db, { ...(await fresh.runningJob(accountId)), seconds: 60 })).toBe("held");
  expect(await available(fresh.db, accountId)).toBe(40);
  expect(await balance(fresh.db, accountId)).toBe(100);
});

test("without a paid grant, racing holds never reserve more tokens than three uses of the free seconds cost", async () => {
  const { id: accountId } = await fresh.newAccount(1000);
  const running = await Promise.all(Array.from({ length: 20 }, () => fresh.runningJob(accountId)));
  // 45 s at the highest detail reserve 29,250 tokens. The account may cost 425,000.
  await fresh.db.execute(sql`update jobs set detail = 'high' where account_id = ${accountId}`);
  const run = (job: (typeof running)[number]) => hold(fresh.db, { ...job, seconds: 45, tokens: 29_250 });
  const outcomes = await Promise.all(running.map(run));
  expect(outcomes.filter((outcome) => outcome === "held")).toHaveLength(14);
  expect(outcomes.filter((outcome) => outcome === "out_of_budget")).toHaveLength(6);
  await grant(fresh.db, { accountId, seconds: 1, reference: `invoice ${accountId}` });
  const refused = running[outcomes.indexOf("out_of_budget")];
  expect(refused && (await run(refused))).toBe("held");
});

test("the whole balance can be held, and not a second more", async () => {
  const { id: accountId } = await fresh.newAccount(100);
  const job = await fresh.runningJob(accountId);
  expect(await hold(fresh.db, { ...job, seconds: 101 })).toBe("out_of_minutes");
  expect(await hold(fresh.db, { ...job, seconds: 100 })).toBe("held");
  expect(await available(fresh.db, accountId)).toBe(0);
});

test("a second claim of a job keeps its hold, even when nothing else is left", async () => {
  const { id: accountId } = await fresh.newAccount(60);
  const job = await fresh.runningJob(accountId);
  expect(await hold(fresh.db, { ...job, seconds: 60 })).toBe("held");
  await claimJob(fresh.db, job.jobId);
  expect(await hold(fresh.db, { ...job, fence: 2, seconds: 60 })).toBe("held");
  expect(await available(fresh.db, accountId)).toBe(0);
});

test("a hold changes with its job's seconds, and stays if too few are available", async () => {
  const { id: accountId } = await fresh.newAccount(100);
  const job = await fresh.runningJob(accountId);
  const left = async (seconds: number) => [
    await hold(fresh.db, { ...job, seconds }),
    await available(fresh.db, accountId),
  ];
  expect(await left(60)).toEqual(["held", 40]);
  expect(await left(90)).toEqual(["held", 10]);
  expect(await left(101)).toEqual(["out_of_minutes", 10]);
  expect(await left(70)).toEqual(["held", 30]);
});

test("holds of one job that race make one hold", async () => {
  const { id: accountId } = await fresh.newAccount(600);
  const job = await fresh.runningJob(accountId);
  await Promise.all(Array.from({ length: 20 }, () => hold(fresh.db, { ...job, seconds: 60 })));
  expect(await available(fresh.db, accountId)).toBe(540);
});

test("a job that does not run under this claim gets no hold", async () => {
  const { id: accountId } = await fresh.newAccount(600);
  const other = await fresh.newAccount(600);
  const queued = await fresh.queuedJob(accountId);
  const taken = await fresh.runningJob(accountId);
  await claimJob(fresh.db, taken.jobId);
  const ended = await fresh.runningJob(accountId);
  await failAndRelease(fresh.db, { jobId: ended.jobId, error: failure });
  const jobs = [
    { jobId: queued, fence: 0, accountId },
    taken,
    ended,
    { ...(await fresh.runningJob(accountId)), accountId: other.id },
    { ...ended, jobId: "00000000-0000-4000-8000-000000000000" },
  ];
  for (const job of jobs) expect(await hold(fresh.db, { ...job, seconds: 60 })).toBe("job_over");
  expect((await fresh.sums(accountId)).available).toBe(600);
  expect((await fresh.sums(other.id)).available).toBe(600);
});

test("the database itself refuses a hold of zero seconds or less", async () => {
  const { id: accountId } = await fresh.newAccount(60);
  const job = await fresh.runningJob(accountId);
  for (const seconds of [0, -60]) {
    await expect(hold(fresh.db, { ...job, seconds })).rejects.toMatchObject({ cause: { code: "23514" } });
  }
  expect(await fresh.db.execute(sql`select * from holds where job_id = ${job.jobId}`)).toHaveLength(0);
});
