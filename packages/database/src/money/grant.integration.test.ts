import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshLedger } from "./fresh-ledger.harness.ts";
import { grant } from "./grant.ts";

let fresh: Awaited<ReturnType<typeof freshLedger>>;
beforeAll(async () => {
  fresh = await freshLedger();
});
afterAll(() => fresh[Symbol.asyncDispose]());

test("one reference makes one grant, also when calls race", async () => {
  const { id: accountId } = await fresh.newAccount(100);
  const entry = { accountId, seconds: 50, reference: "invoice 1" };
  const added = await Promise.all(Array.from({ length: 20 }, () => grant(fresh.db, entry)));
  expect(added.filter(Boolean)).toHaveLength(1);
  expect(await grant(fresh.db, { ...entry, reference: "invoice 2" })).toBe(true);
  expect((await fresh.sums(accountId)).balance).toBe(200);
});

test("one reference cannot make two different grants", async () => {
  const { id: accountId } = await fresh.newAccount(0);
  const other = await fresh.newAccount(0);
  const entry = { accountId, seconds: 50, reference: "ticket" };
  await grant(fresh.db, entry);
  for (const different of [
    { ...entry, seconds: 51 },
    { ...entry, accountId: other.id },
  ]) {
    await expect(grant(fresh.db, different)).rejects.toMatchObject({ code: "invalid_request" });
  }
  expect((await fresh.sums(accountId)).balance).toBe(50);
  expect((await fresh.sums(other.id)).balance).toBe(0);
});

test.for([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])(
  "%d seconds cannot be granted",
  async (seconds) => {
    const { id: accountId } = await fresh.newAccount(0);
    const entry = { accountId, seconds, reference: randomUUID() };
    await expect(grant(fresh.db, entry)).rejects.toMatchObject({ code: "invalid_request" });
  },
);

test("a grant needs an account and a reference", async () => {
  const { id: accountId } = await fresh.newAccount(0);
  const nobody = grant(fresh.db, { accountId: randomUUID(), seconds: 1, reference: "r" });
  await expect(nobody).rejects.toMatchObject({ code: "not_found" });
  const nothing = grant(fresh.db, { accountId, seconds: 1, reference: "  " });
  await expect(nothing).rejects.toMatchObject({ code: "invalid_request" });
});

test("the largest grants add up without loss", async () => {
  const { id: accountId } = await fresh.newAccount(0);
  for (const reference of ["large 1", "large 2", "large 3"]) {
    await grant(fresh.db, { accountId, seconds: 2 ** 31 - 1, reference });
  }
  expect((await fresh.sums(accountId)).balance).toBe(3 * (2 ** 31 - 1));
});
