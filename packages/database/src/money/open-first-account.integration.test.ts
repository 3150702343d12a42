import { hashApiKey, Problem } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { findCallerByKey } from "../keys/find-caller-by-key.ts";
import { createKey, listKeys, revokeKey } from "../keys/keys.ts";
import { deleteAccount } from "./delete-account.ts";
import { freshLedger } from "./fresh-ledger.harness.ts";
import { openAccount, openFirstAccount } from "./open-account.ts";

const email = "first@example.com";
const first = { email, freeSeconds: 1800, keyPrefix: "v2j" };

test("the first start makes an account and shows a key that works; later starts make nothing", async () => {
  await using fresh = await freshLedger();
  const shown: string[] = [];
  const start = () => openFirstAccount(fresh.db, first, (key) => shown.push(key));
  expect([await start(), await start(), await start()]).toEqual([true, false, false]);
  expect(shown).toHaveLength(1);
  const caller = await findCallerByKey(fresh.db, hashApiKey(shown[0] ?? ""));
  expect(await fresh.sums(caller?.accountId ?? "")).toEqual({ balance: 1800, available: 1800 });
});

test("twenty starts at once make one account with one key", async () => {
  await using fresh = await freshLedger();
  const shown: string[] = [];
  await Promise.all(Array.from({ length: 20 }, () => openFirstAccount(fresh.db, first, (key) => shown.push(key))));
  expect(shown).toHaveLength(1);
  expect(await findCallerByKey(fresh.db, hashApiKey(shown[0] ?? ""))).toBeDefined();
});

test("after a start that died before it stored the shown key, the next start shows a working one", async () => {
  await using fresh = await freshLedger();
  const died = openFirstAccount(fresh.db, first, () => {
    throw new Error("killed");
  });
  await expect(died).rejects.toThrow("killed");
  const shown: string[] = [];
  expect(await openFirstAccount(fresh.db, first, (key) => shown.push(key))).toBe(true);
  const caller = await findCallerByKey(fresh.db, hashApiKey(shown[0] ?? ""));
  expect((await fresh.sums(caller?.accountId ?? "")).balance).toBe(1800);
  expect(await listKeys(fresh.db, caller?.accountId ?? "")).toHaveLength(1);
});

test("after a start that died before it created the key, the next start creates one", async () => {
  await using fresh = await freshLedger();
  await openAccount(fresh.db, first);
  expect(await openFirstAccount(fresh.db, first, () => {})).toBe(true);
});

test("an installation with other accounts, a deleted first account or a revoked first key stays as it is", async () => {
  await using fresh = await freshLedger();
  const { account } = await openAccount(fresh.db, { email: "other@example.com", freeSeconds: 1 });
  expect(await openFirstAccount(fresh.db, first, () => {})).toBe(false);
  const { id } = await createKey(fresh.db, { accountId: account.id, name: "x", keyPrefix: "v2j" });
  await revokeKey(fresh.db, { id, accountId: account.id });
  expect(await openFirstAccount(fresh.db, { ...first, email: "other@example.com" }, () => {})).toBe(false);
  const error = new Problem("unauthorised", { reason: "account_deleted" }).toInside();
  await deleteAccount(fresh.db, { accountId: account.id, error });
  expect(await openFirstAccount(fresh.db, { ...first, email: "other@example.com" }, () => {})).toBe(false);
});
