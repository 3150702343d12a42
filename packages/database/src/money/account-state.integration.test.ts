import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { setAccountLimits } from "../accounts/accounts.ts";
import { findCallerByKey } from "../keys/find-caller-by-key.ts";
import { insertKey, revokeKey } from "../keys/keys.ts";
import { readAccountState } from "./account-state.ts";
import { balances, newestCheckpoint, rowsBetweenCheckpoints } from "./balance.ts";
import { failAndRelease } from "./cancel.ts";
import { answer, freshLedger } from "./fresh-ledger.harness.ts";
import { hold } from "./hold.ts";
import { settle } from "./settle.ts";

let fresh: Awaited<ReturnType<typeof freshLedger>>;
beforeAll(async () => {
  fresh = await freshLedger();
});
afterAll(() => fresh[Symbol.asyncDispose]());

async function newCaller(seconds: number) {
  const { id } = await fresh.newAccount(seconds);
  const sha256 = randomBytes(32);
  await insertKey(fresh.db, { accountId: id, name: "test", sha256, display: "v2j_live_test" });
  const caller = await findCallerByKey(fresh.db, sha256);
  if (!caller) throw new Error("The key finds no account.");
  return { ...caller, sha256 };
}

const none = { jobs: 0, failed: 0, maxFailedExtractions: null, maxFailedPercent: null };

test("the state of an account counts its own open and recent jobs, and its holds", async () => {
  const caller = await newCaller(600);
  const { accountId } = caller;
  const read = () => readAccountState(fresh.db, caller);
  const state = {
    isKeyLive: true,
    maxJobs: null,
    openJobs: 0,
    recentJobs: none,
    availableSeconds: 600,
    freeSeconds: 600,
    tokens: 0,
  };
  expect(await read()).toEqual(state);
  await fresh.queuedJob((await newCaller(600)).accountId);
  const [first, second] = [await fresh.runningJob(accountId), await fresh.runningJob(accountId)];
  await hold(fresh.db, { ...first, seconds: 60 });
  await fresh.queuedJob(accountId);
  expect(await read()).toEqual({ ...state, openJobs: 3, recentJobs: { ...none, jobs: 3 }, availableSeconds: 540 });
  await settle(fresh.db, { ...first, ...answer });
  for (const code of ["extraction_failed", "file_too_large"] as const) {
    const { jobId } = code === "extraction_failed" ? second : await fresh.runningJob(accountId);
    await failAndRelease(fresh.db, { jobId, error: { code, message: "test" } });
  }
  const recentJobs = { ...none, jobs: 4, failed: 1 };
  expect(await read()).toEqual({ ...state, openJobs: 1, recentJobs, availableSeconds: 540 });
});

test("the state of an account has its own limits, and says when the key is revoked or the account unknown", async () => {
  const caller = await newCaller(600);
  const limits = { maxJobs: 60, maxFailedExtractions: 7, maxFailedPercent: 50 };
  await setAccountLimits(fresh.db, caller.accountId, limits);
  await revokeKey(fresh.db, { id: caller.keyId, accountId: caller.accountId });
  const { maxJobs, ...ofFailures } = limits;
  const expected = { isKeyLive: false, maxJobs, recentJobs: { ...none, ...ofFailures } };
  expect(await readAccountState(fresh.db, caller)).toMatchObject(expected);
  expect(await readAccountState(fresh.db, { ...caller, accountId: randomUUID() })).toBeUndefined();
});

test("the available seconds are right from any checkpoint, and a long ledger gets a new one", async () => {
  const before = await newCaller(10_000);
  await fresh.addDebits(before.accountId, rowsBetweenCheckpoints);
  expect(await readAccountState(fresh.db, before)).toMatchObject({ availableSeconds: 10_000 - rowsBetweenCheckpoints });
  const checkpoint = await newestCheckpoint(fresh.db, before.accountId);
  expect(checkpoint).toMatchObject({ seconds: 10_000 - rowsBetweenCheckpoints });
  const after = await findCallerByKey(fresh.db, before.sha256);
  expect(after?.checkpoint).toEqual(checkpoint);
  await fresh.addDebits(before.accountId, 3);
  const { available } = await balances(fresh.db, before.accountId);
  for (const caller of [before, { ...before, checkpoint }]) {
    expect(await readAccountState(fresh.db, caller)).toMatchObject({ availableSeconds: available });
  }
});
