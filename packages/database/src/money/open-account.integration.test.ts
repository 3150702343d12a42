import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshLedger } from "./fresh-ledger.harness.ts";
import { openAccount } from "./open-account.ts";

let fresh: Awaited<ReturnType<typeof freshLedger>>;
beforeAll(async () => {
  fresh = await freshLedger();
});
afterAll(() => fresh[Symbol.asyncDispose]());

test("the first call creates the account and grants the free seconds; later calls find it", async () => {
  const first = await openAccount(fresh.db, { email: " Ann@Example.com", freeSeconds: 1800 });
  expect(first).toMatchObject({ account: { email: "ann@example.com" }, granted: true });
  const again = await openAccount(fresh.db, { email: "ANN@example.com ", freeSeconds: 1800 });
  expect(again).toEqual({ account: first.account, granted: false });
  expect(await fresh.sums(first.account.id)).toEqual({ balance: 1800, available: 1800 });
});

test("fifty racing calls create one account and one grant", async () => {
  const opened = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      openAccount(fresh.db, { email: index % 2 ? "race@example.com" : "RACE@example.com", freeSeconds: 1800 }),
    ),
  );
  expect(new Set(opened.map(({ account }) => account.id)).size).toBe(1);
  expect(opened.filter(({ granted }) => granted)).toHaveLength(1);
  expect((await fresh.sums(opened[0]?.account.id ?? "")).balance).toBe(1800);
});

test("an account that was deleted and created again gets no free seconds", async () => {
  const email = "gone@example.com";
  const { account } = await openAccount(fresh.db, { email, freeSeconds: 1800 });
  await fresh.runningJob(account.id);
  await fresh.db.execute(sql`delete from accounts where id = ${account.id}`);
  const again = await openAccount(fresh.db, { email: "Gone@Example.com", freeSeconds: 1800 });
  expect(again.account.id).not.toBe(account.id);
  expect(again.granted).toBe(false);
  expect((await fresh.sums(again.account.id)).balance).toBe(0);
});

test("an account that was opened without free seconds gets them later", async () => {
  const email = "later@example.com";
  const none = await openAccount(fresh.db, { email, freeSeconds: 0 });
  expect(none.granted).toBe(false);
  expect(await openAccount(fresh.db, { email, freeSeconds: 600 })).toEqual({ account: none.account, granted: true });
});

test.for([
  "",
  "nope",
  "a b@example.com",
  "a@b@c",
  "@example.com",
  "a@",
  "a\u0000@example.com",
  `${"a".repeat(250)}@b.com`,
])("a text that is not an e-mail address opens no account: %j", async (email) => {
  await expect(openAccount(fresh.db, { email, freeSeconds: 1 })).rejects.toMatchObject({ code: "invalid_request" });
});
