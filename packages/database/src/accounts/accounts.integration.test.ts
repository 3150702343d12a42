import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase, newAccount, newJob } from "../fresh-database.harness.ts";
import { insertKey } from "../keys/keys.ts";
import { findAccount, findAccountByEmail, insertAccount, lockAccount, lockAccountOfJob } from "./accounts.ts";

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh[Symbol.asyncDispose]());

test("an e-mail address has one account, in any spelling", async () => {
  const account = await insertAccount(fresh.db, { email: "  Ann@Example.COM " });
  expect(account).toEqual({ id: expect.any(String), email: "ann@example.com", maxJobs: null, retentionDays: null });
  expect(await insertAccount(fresh.db, { email: "ANN@example.com" })).toBeUndefined();
  expect(await findAccountByEmail(fresh.db, "aNN@example.com ")).toEqual(account);
  expect(await findAccount(fresh.db, account?.id ?? "")).toEqual(account);
});

test("a text that is not an account's id finds no account", async () => {
  expect(await findAccount(fresh.db, randomUUID())).toBeUndefined();
  expect(await findAccount(fresh.db, "not a UUID")).toBeUndefined();
  expect(await findAccountByEmail(fresh.db, "nobody@example.com")).toBeUndefined();
});

test("a locked account makes the next transaction wait, but accepts new keys", async () => {
  const { id: accountId } = await newAccount(fresh.db);
  const jobId = await newJob(fresh.db, accountId);
  const order: string[] = [];
  const { promise: locked, resolve: signalLocked } = Promise.withResolvers<void>();
  const { promise: keyed, resolve: signalKeyed } = Promise.withResolvers<void>();
  const first = fresh.db.transaction(async (tx) => {
    expect((await lockAccount(tx, accountId))?.id).toBe(accountId);
    signalLocked();
    await keyed;
    order.push("first");
  });
  await locked;
  const second = fresh.db.transaction(async (tx) => {
    expect((await lockAccountOfJob(tx, jobId))?.id).toBe(accountId);
    order.push("second");
  });
  await insertKey(fresh.db, { accountId, name: "n", sha256: Buffer.alloc(32, 9), display: "d" });
  signalKeyed();
  await Promise.all([first, second]);
  expect(order).toEqual(["first", "second"]);
});
