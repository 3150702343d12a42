import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimJob } from "../fair-share/claim-next-job.ts";
import { listDailyUsage, listKeys } from "../keys/keys.ts";
import { readAccountState } from "./account-state.ts";
import { failAndRelease } from "./cancel.ts";
import { answer, failure, freshLedger } from "./fresh-ledger.harness.ts";
import { hold } from "./hold.ts";
import { settle } from "./settle.ts";

let fresh: Awaited<ReturnType<typeof freshLedger>>;
beforeAll(async () => {
  fresh = await freshLedger();
});
afterAll(() => fresh[Symbol.asyncDispose]());

/** An account with minutes for every job, and a key with a limit. */
async function limitedKey(monthlyMinutes: number) {
  const { id: accountId } = await fresh.newAccount(100_000);
  const keyId = await fresh.newKey(accountId, { monthlyMinutes });
  const caller = { accountId, keyId, hasMonthlyLimit: true, checkpoint: { ledgerId: 0, seconds: 0 } };
  return {
    accountId,
    keyId,
    runningJob: () => fresh.runningJob(accountId, keyId),
    limit: async () => (await readAccountState(fresh.db, caller))?.keyLimit,
    /** Charges a minute to a new job of the key, at a given time of the database. */
    chargeAt: async (time: string) => {
      const { jobId } = await fresh.runningJob(accountId, keyId);
      await fresh.db.execute(sql`insert into ledger (account_id, seconds, kind, job_id, created_at)
        values (${accountId}, -60, 'debit', ${jobId}, ${sql.raw(time)})`);
      await failAndRelease(fresh.db, { jobId, error: failure });
    },
  };
}

const monthStart = "(date_trunc('month', now() at time zone 'UTC') at time zone 'UTC')";

test("two hundred racing holds and settles never pass the limit of a key", async () => {
  const key = await limitedKey(10);
  const jobs = await Promise.all(Array.from({ length: 200 }, key.runningJob));
  const outcomes = await Promise.all(
    jobs.map(async (job, index) => {
      const outcome = await hold(fresh.db, { ...job, seconds: 60 });
      // Half of the holds stay open, so the limit counts both kinds.
      if (outcome === "held" && index % 2) await settle(fresh.db, { ...job, ...answer });
      return outcome;
    }),
  );
  expect(outcomes.filter((outcome) => outcome === "held")).toHaveLength(10);
  const refused = outcomes.filter((outcome) => outcome !== "held");
  expect(refused).toHaveLength(190);
  for (const limit of refused) {
    expect(limit).toMatchObject({ name: "test", display: "v2j_live_test", limitSeconds: 600, usedSeconds: 600 });
  }
  expect(await key.limit()).toMatchObject({ limitSeconds: 600, usedSeconds: 600 });
});

test("the limit of a key holds neither for another key of its account nor for a job without a key", async () => {
  const key = await limitedKey(1);
  expect(await hold(fresh.db, { ...(await key.runningJob()), seconds: 60 })).toBe("held");
  expect(await hold(fresh.db, { ...(await key.runningJob()), seconds: 1 })).toMatchObject({ usedSeconds: 60 });
  const other = await fresh.newKey(key.accountId, { monthlyMinutes: 1 });
  const unlimited = await fresh.newKey(key.accountId);
  for (const keyId of [other, unlimited, unlimited, undefined]) {
    expect(await hold(fresh.db, { ...(await fresh.runningJob(key.accountId, keyId)), seconds: 60 })).toBe("held");
  }
});

test("a job that fails returns its seconds to the key, and a second claim holds them once", async () => {
  const key = await limitedKey(1);
  const job = await key.runningJob();
  expect(await hold(fresh.db, { ...job, seconds: 60 })).toBe("held");
  await claimJob(fresh.db, job.jobId);
  expect(await hold(fresh.db, { ...job, fence: 2, seconds: 60 })).toBe("held");
  expect(await hold(fresh.db, { ...job, fence: 2, seconds: 61 })).toMatchObject({ usedSeconds: 0 });
  await failAndRelease(fresh.db, { jobId: job.jobId, error: failure });
  expect(await key.limit()).toMatchObject({ usedSeconds: 0 });
  expect(await hold(fresh.db, { ...(await key.runningJob()), seconds: 60 })).toBe("held");
});

test("a month has the debits from its first moment on, in UTC, and every open hold", async () => {
  const key = await limitedKey(3);
  await key.chargeAt(`${monthStart} - interval '1 microsecond'`);
  expect(await key.limit()).toMatchObject({ usedSeconds: 0 });
  await key.chargeAt(monthStart);
  expect(await key.limit()).toMatchObject({ usedSeconds: 60 });
  const earlier = await key.runningJob();
  expect(await hold(fresh.db, { ...earlier, seconds: 60 })).toBe("held");
  await fresh.db.execute(sql`update holds set created_at = ${sql.raw(monthStart)} - interval '1 hour'
    where job_id = ${earlier.jobId}`);
  expect(await key.limit()).toMatchObject({ usedSeconds: 120 });
  expect(await hold(fresh.db, { ...(await key.runningJob()), seconds: 61 })).toMatchObject({ usedSeconds: 120 });
  expect(await hold(fresh.db, { ...(await key.runningJob()), seconds: 60 })).toBe("held");
  const [ends] = await fresh.db.execute(
    sql`select extract(epoch from (${sql.raw(monthStart)} at time zone 'UTC' + interval '1 month') at time zone 'UTC') as at`,
  );
  const monthEnd = (await key.limit())?.monthEndsAt;
  expect(monthEnd?.getTime()).toBe(1000 * Number(ends?.at));
  expect(monthEnd?.toISOString()).toMatch(/-01T00:00:00\.000Z$/);
});

test("the usage of each day is the sum of its debits, by key, in UTC", async () => {
  const key = await limitedKey(100);
  await key.chargeAt("'2026-03-01T00:00:00Z'");
  await key.chargeAt("'2026-03-01T23:59:59Z'");
  await key.chargeAt("'2026-03-02T00:30:00+01:00'");
  await key.chargeAt("'2026-03-02T00:00:00Z'");
  await fresh.addDebits(key.accountId, 1_000);
  const range = { accountId: key.accountId, fromDay: "2026-03-01", toDay: "2026-03-02" };
  expect(await listDailyUsage(fresh.db, range)).toEqual([
    { day: "2026-03-01", keyId: key.keyId, seconds: 180, jobs: 3 },
    { day: "2026-03-02", keyId: key.keyId, seconds: 60, jobs: 1 },
  ]);
  const all = await listDailyUsage(fresh.db, { ...range, toDay: "2999-12-31" });
  expect(all.slice(2)).toEqual([{ day: expect.any(String), keyId: null, seconds: 1_000, jobs: 1_000 }]);
  const other = await fresh.newAccount(60);
  expect(await listDailyUsage(fresh.db, { ...range, accountId: other.id })).toEqual([]);
});

test("the list of keys shows the settled seconds of this month", async () => {
  const key = await limitedKey(100);
  await key.chargeAt(`${monthStart} - interval '1 second'`);
  await key.chargeAt("now()");
  await hold(fresh.db, { ...(await key.runningJob()), seconds: 60 });
  const shown = { scope: "extract", monthlyMinutes: 100, endsAt: null, state: "live", secondsThisMonth: 60 };
  expect(await listKeys(fresh.db, key.accountId)).toMatchObject([shown]);
});

test("a key that is gone leaves its jobs as they are", async () => {
  const key = await limitedKey(1);
  const [held, queued] = [await key.runningJob(), await key.runningJob()];
  await hold(fresh.db, { ...held, seconds: 60 });
  await fresh.db.execute(sql`delete from api_keys where id = ${key.keyId}`);
  expect(await settle(fresh.db, { ...held, ...answer })).toBe("settled");
  expect(await hold(fresh.db, { ...queued, seconds: 60 })).toBe("held");
});
