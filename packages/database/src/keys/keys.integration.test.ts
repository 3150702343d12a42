import { createHash, randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../connection/open-database.ts";
import { freshDatabase, newAccount } from "../fresh-database.harness.ts";
import { findCallerByKey } from "./find-caller-by-key.ts";
import { findKeysNamed, insertKey, listKeys, revokeKey } from "./keys.ts";

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh[Symbol.asyncDispose]());

test("a key finds its account until it is revoked", async () => {
  const { account, id, sha256 } = await accountWithKey("one");
  const checkpoint = { ledgerId: 0, seconds: 0 };
  const caller = {
    accountId: account.id,
    email: account.email,
    keyId: id,
    scope: "extract",
    hasEnded: false,
    hasMonthlyLimit: false,
    maxJobs: null,
    checkpoint,
  };
  expect(await findCallerByKey(fresh.db, sha256)).toEqual(caller);
  expect(await revokeKey(fresh.db, { id, accountId: account.id })).toBe(true);
  expect(await findCallerByKey(fresh.db, sha256)).toBeUndefined();
  expect(await revokeKey(fresh.db, { id, accountId: account.id })).toBe(false);
  expect(await findCallerByKey(fresh.db, createHash("sha256").update("unknown").digest())).toBeUndefined();
});

test("a key that needs an API of a later release is unknown, and a key names the limits that it needs", async () => {
  const { account, sha256 } = await accountWithKey("later");
  const { db } = fresh;
  await db.execute(sql`update api_keys set needs = '{scope,retina_scan}' where account_id = ${account.id}`);
  expect(await findCallerByKey(db, sha256)).toBeUndefined();
  const limits = { scope: "read", monthlyMinutes: 5, endsAt: new Date(Date.now() + 60_000) } as const;
  const limited = { accountId: account.id, name: "limited", sha256: createHash("sha256").update("limited").digest() };
  await insertKey(db, { ...limited, ...limits, display: "v2j_live_limited" });
  const [row] = await db.execute(sql`select needs from api_keys where name = 'limited'`);
  expect(row).toEqual({ needs: "{scope,monthly_limit,end}" });
  expect(await findCallerByKey(db, limited.sha256)).toMatchObject({ scope: "read" });
});

test("revoking one key leaves other keys live", async () => {
  const { sha256 } = await accountWithKey("five");
  const other = await accountWithKey("six");
  await revokeKey(fresh.db, { id: other.id, accountId: other.account.id });
  expect(await findCallerByKey(fresh.db, sha256)).toBeDefined();
  expect(await findCallerByKey(fresh.db, other.sha256)).toBeUndefined();
});

test("a database that cannot be written still finds the caller of a key", async () => {
  const { account, sha256 } = await accountWithKey("reader");
  const url = `${fresh.url}?default_transaction_read_only=on`;
  const readOnly = openDatabase(url, { maxConnections: 1, applicationName: "test" });
  onTestFinished(readOnly.close);
  expect((await findCallerByKey(readOnly.db, sha256))?.accountId).toBe(account.id);
});

test("a key shows when it was last used, and the use of a revoked key is not recorded", async () => {
  const { account, id, sha256 } = await accountWithKey("two");
  expect((await listKeys(fresh.db, account.id)).map(({ lastUsedAt }) => lastUsedAt)).toEqual([null]);
  await Promise.all(Array.from({ length: 20 }, () => findCallerByKey(fresh.db, sha256)));
  const lastUse = async () => (await listKeys(fresh.db, account.id))[0]?.lastUsedAt;
  await expect.poll(lastUse).toBeInstanceOf(Date);
  const used = { lastUsedAt: await lastUse() };
  await findCallerByKey(fresh.db, sha256);
  expect(await lastUse()).toEqual(used.lastUsedAt);

  const revoked = await accountWithKey("three");
  await revokeKey(fresh.db, { id: revoked.id, accountId: revoked.account.id });
  await findCallerByKey(fresh.db, revoked.sha256);
  expect((await listKeys(fresh.db, revoked.account.id))[0]).toMatchObject({
    lastUsedAt: null,
    revokedAt: expect.any(Date),
  });
  expect((await listKeys(fresh.db, account.id)).map((key) => key.id)).toEqual([id]);
});

test("no request waits for the write of a last use, or for another lock of the key", async () => {
  const { id, sha256 } = await accountWithKey("locked");
  await fresh.db.transaction(async (other) => {
    await other.execute(sql`select from api_keys where id = ${id} for no key update`);
    expect(await findCallerByKey(fresh.db, sha256)).toMatchObject({ keyId: id });
  });
});

test("a key is found by its id or by its complete display text, never by less", async () => {
  const { id } = await accountWithKey("four");
  expect((await findKeysNamed(fresh.db, id)).map((key) => key.id)).toEqual([id]);
  expect((await findKeysNamed(fresh.db, "v2j_live_four")).map((key) => key.id)).toEqual([id]);
  expect(await findKeysNamed(fresh.db, "v2j_live_fou")).toEqual([]);
  expect(await findKeysNamed(fresh.db, "")).toEqual([]);
  expect(await findKeysNamed(fresh.db, randomUUID())).toEqual([]);
});

async function accountWithKey(name: string) {
  const account = await newAccount(fresh.db);
  const sha256 = createHash("sha256").update(name).digest();
  const { id } = await insertKey(fresh.db, { accountId: account.id, name, sha256, display: `v2j_live_${name}` });
  return { account, id, sha256 };
}
