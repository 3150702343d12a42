import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deleteExpiredSignIns } from "../sign-in/sign-in.ts";
import { freshLedger } from "./fresh-ledger.harness.ts";
import { type GrantCap, openAccount, signUp } from "./open-account.ts";

let fresh: Awaited<ReturnType<typeof freshLedger>>;
beforeAll(async () => {
  fresh = await freshLedger();
});
afterAll(() => fresh[Symbol.asyncDispose]());

const newCap = (limit: number, kind: GrantCap["kind"] = "domain") => ({ kind, owner: randomUUID(), limit });
const newAddress = () => `${randomUUID()}@example.com`;
const up = (email: string, { mailbox = email, caps = [] as GrantCap[], freeSeconds = 600 } = {}) =>
  signUp(fresh.db, { email, mailbox, freeSeconds, caps });

test("a mailbox gets the seconds once, whichever of its addresses signs up first, and each address has an account", async () => {
  const mailbox = newAddress();
  const plus = mailbox.replace("@", "+one@");
  const first = await up(plus, { mailbox });
  const others = [await up(mailbox), await up(mailbox.replace("@", "+two@"), { mailbox }), await up(plus, { mailbox })];
  expect([first, ...others].map(({ outcome }) => outcome)).toEqual(["granted", "mailbox", "mailbox", "mailbox"]);
  expect(first.account.email).toBe(plus);
  expect(new Set([first, ...others].map(({ account }) => account.id)).size).toBe(3);
  expect((await fresh.sums(others[0]?.account.id ?? "")).balance).toBe(0);
});

test("an account of the operator gets its seconds once an address, whatever the mailbox got, and none at its sign-in", async () => {
  const mailbox = newAddress();
  await up(mailbox);
  const own = mailbox.replace("@", "+own@");
  expect((await openAccount(fresh.db, { email: own, freeSeconds: 600 })).granted).toBe(true);
  expect((await up(own, { mailbox })).outcome).toBe("mailbox");
});

test("the operator's command gives the seconds to an address that a cap refused", async () => {
  const email = newAddress();
  expect((await up(email, { caps: [newCap(0, "network")] })).outcome).toBe("network");
  expect((await openAccount(fresh.db, { email, freeSeconds: 600 })).granted).toBe(true);
});

test("racing sign-ups get exactly as many grants as the cap allows, and a refused one counts for no cap", async () => {
  const [domain, service] = [newCap(3), newCap(4, "service")];
  const racing = await Promise.all(Array.from({ length: 12 }, () => up(newAddress(), { caps: [service, domain] })));
  const outcomes = racing.map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome === "granted")).toHaveLength(3);
  expect(outcomes.filter((outcome) => outcome === "domain")).toHaveLength(9);
  const later = await Promise.all([1, 2].map(() => up(newAddress(), { caps: [newCap(1), service] })));
  expect(later.map(({ outcome }) => outcome).sort()).toEqual(["granted", "service"]);
});

test("the counts begin anew with the day, and those of earlier days are deleted", async () => {
  const caps = [newCap(1)];
  expect((await up(newAddress(), { caps })).outcome).toBe("granted");
  expect((await up(newAddress(), { caps })).outcome).toBe("domain");
  await fresh.db.execute(sql`update free_grant_counts set day = day - 1`);
  expect((await up(newAddress(), { caps })).outcome).toBe("granted");
  await deleteExpiredSignIns(fresh.db, { limit: 10 });
  const [left] = await fresh.db.execute(sql`select count(*)::int as count from free_grant_counts`);
  expect(left?.count).toBe(1);
});

test("without free seconds nothing is granted or counted, and the mailbox can get them later", async () => {
  const email = newAddress();
  const caps = [newCap(1)];
  expect((await up(email, { caps, freeSeconds: 0 })).outcome).toBe("none");
  expect((await up(email, { caps })).outcome).toBe("granted");
});
