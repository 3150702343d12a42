import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findAccount, findAccountByEmail } from "../accounts/accounts.ts";
import { saveIdempotencyKey } from "../idempotency/idempotency-keys.ts";
import { eraseUnkeptJobs } from "../jobs/erase-jobs.ts";
import { findAnyJob, findJob } from "../jobs/find-job.ts";
import { findCallerByKey } from "../keys/find-caller-by-key.ts";
import { insertKey, listKeys } from "../keys/keys.ts";
import { readAccountState } from "./account-state.ts";
import { deleteAccount } from "./delete-account.ts";
import { answer, failure, freshLedger } from "./fresh-ledger.harness.ts";
import { hold } from "./hold.ts";
import { openAccount } from "./open-account.ts";
import { settle } from "./settle.ts";

let fresh: Awaited<ReturnType<typeof freshLedger>>;
beforeAll(async () => {
  fresh = await freshLedger();
});
afterAll(() => fresh[Symbol.asyncDispose]());

const asked = { hasMonthlyLimit: false, checkpoint: { ledgerId: 0, seconds: 0 } };

async function accountWithJobs() {
  const { id: accountId, email } = await fresh.newAccount(600);
  const keyId = await fresh.newKey(accountId);
  const [succeeded, held] = [await fresh.runningJob(accountId, keyId), await fresh.runningJob(accountId, keyId)];
  const queued = await fresh.queuedJob(accountId, undefined, keyId);
  await hold(fresh.db, { ...succeeded, seconds: 60 });
  await settle(fresh.db, { ...succeeded, ...answer });
  await hold(fresh.db, { ...held, seconds: 60 });
  const entry = { accountId, key: "order of Ann Example", requestHash: "h", jobId: queued };
  await fresh.db.transaction((tx) => saveIdempotencyKey(tx, entry));
  return { accountId, email, keyId, succeeded, held, queued };
}

test("a deleted account keeps its ledger but no contents of jobs, and its running jobs end without charge", async () => {
  const { accountId, email, keyId, succeeded, held, queued } = await accountWithJobs();
  const untouched = await accountWithJobs();
  expect(await deleteAccount(fresh.db, { accountId, error: failure })).toBe(true);
  expect(await deleteAccount(fresh.db, { accountId, error: failure })).toBe(false);

  expect(await findAccount(fresh.db, accountId)).toBeUndefined();
  expect(await findAccountByEmail(fresh.db, email)).toBeUndefined();
  expect(await listKeys(fresh.db, accountId)).toMatchObject([{ id: keyId, name: "", state: "revoked" }]);
  for (const id of [keyId, null]) {
    const state = await readAccountState(fresh.db, { accountId, keyId: id, ...asked });
    expect(state).toMatchObject({ isKeyLive: false, openJobs: 0, availableSeconds: 540 });
  }
  for (const id of [succeeded.jobId, held.jobId, queued]) {
    expect(await findJob(fresh.db, { id, accountId })).toBeUndefined();
    expect(await findAnyJob(fresh.db, id)).toMatchObject({ schemaText: "{}", instructions: null, requestHash: "" });
  }
  expect(await settle(fresh.db, { ...held, ...answer })).toBe("job_over");
  expect(await fresh.sums(accountId)).toEqual({ balance: 540, available: 540 });
  const [stored] = await fresh.db.execute(sql`select row_to_json(accounts)::text as row from accounts
    where id = ${accountId}`);
  expect(stored?.row).not.toContain(email);
  const kept = await fresh.db.execute(sql`select account_id as "accountId" from idempotency_keys`);
  expect([...kept]).toEqual([{ accountId: untouched.accountId }]);

  expect(await findJob(fresh.db, { id: untouched.held.jobId, accountId: untouched.accountId })).toBeDefined();
  expect(await readAccountState(fresh.db, { ...untouched, ...asked })).toMatchObject({
    isKeyLive: true,
    openJobs: 2,
  });
});

test("an account with more jobs than one batch erases keeps the contents of none", async () => {
  const { accountId, succeeded } = await accountWithJobs();
  await fresh.db.execute(sql`insert into jobs
    select (jsonb_populate_record(job, jsonb_build_object('id', gen_random_uuid(), 'ticket', null))).*
    from jobs job, generate_series(1, 501) where id = ${succeeded.jobId}`);
  await deleteAccount(fresh.db, { accountId, error: failure });
  const [kept] = await fresh.db.execute(sql`select count(*)::int as count, count(erased_at)::int as erased
    from jobs where account_id = ${accountId}`);
  expect(kept).toEqual({ count: 504, erased: 504 });
});

test("a key that was created while its account was deleted is refused", async () => {
  const { accountId } = await accountWithJobs();
  await deleteAccount(fresh.db, { accountId, error: failure });
  const sha256 = Buffer.alloc(32, 7);
  const late = await insertKey(fresh.db, { accountId, name: "late", sha256, display: "v2j_live_late" });
  expect(await findCallerByKey(fresh.db, sha256)).toBeUndefined();
  const state = await readAccountState(fresh.db, { accountId, keyId: late.id, ...asked });
  expect(state?.isKeyLive).toBe(false);
});

test("an address gets a new account after a deletion, and no second free grant", async () => {
  const { accountId, email } = await accountWithJobs();
  await deleteAccount(fresh.db, { accountId, error: failure });
  const { account, granted } = await openAccount(fresh.db, { email, freeSeconds: 600 });
  expect(granted).toBe(false);
  expect(account.id).not.toBe(accountId);
  expect(await fresh.sums(account.id)).toEqual({ balance: 0, available: 0 });
});

test("a deletion that died after its first step is finished by the erasure of unkept jobs", async () => {
  const { accountId, succeeded } = await accountWithJobs();
  await fresh.db.execute(sql`update accounts set deleted_at = now() where id = ${accountId}`);
  while ((await eraseUnkeptJobs(fresh.db, { limit: 100 })) > 0);
  expect(await findJob(fresh.db, { id: succeeded.jobId, accountId })).toBeUndefined();
});

test("holds and admissions that race with a deletion leave no open job and no open hold", async () => {
  const { id: accountId } = await fresh.newAccount(6000);
  const jobs = await Promise.all(Array.from({ length: 20 }, () => fresh.runningJob(accountId)));
  await Promise.all([
    ...jobs.map((job) => hold(fresh.db, { ...job, seconds: 60 })),
    deleteAccount(fresh.db, { accountId, error: failure }),
    ...jobs.map((job) => settle(fresh.db, { ...job, ...answer }).catch(() => {})),
  ]);
  const state = await readAccountState(fresh.db, { accountId, keyId: null, ...asked });
  const { balance, available } = await fresh.sums(accountId);
  expect([state?.openJobs, available]).toEqual([0, balance]);
});
