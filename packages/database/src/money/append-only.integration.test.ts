import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshLedger } from "./fresh-ledger.harness.ts";

let fresh: Awaited<ReturnType<typeof freshLedger>>;
beforeAll(async () => {
  fresh = await freshLedger();
});
afterAll(() => fresh[Symbol.asyncDispose]());

test.for([
  "update ledger set seconds = seconds + 1",
  "update ledger set seconds = 1 where false",
  "delete from ledger",
  "truncate ledger",
  "truncate ledger, accounts cascade",
  "insert into ledger (id, account_id, seconds, kind, reference) select id, account_id, 1, kind, 'x' from ledger on conflict (id) do update set seconds = 1",
  "merge into ledger using accounts on ledger.account_id = accounts.id when matched then delete",
])("the ledger refuses, for every user: %s", async (statement) => {
  const { id } = await fresh.newAccount(100);
  await expect(fresh.db.execute(sql.raw(statement))).rejects.toMatchObject({ cause: { code: "23001" } });
  const asReplica = fresh.db.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql.raw(statement));
  });
  await expect(asReplica).rejects.toMatchObject({ cause: { code: "23001" } });
  expect((await fresh.sums(id)).balance).toBe(100);
});

test.for([
  ["a debit that adds", "60, 'debit', gen_random_uuid(), null"],
  ["a debit without a job", "-60, 'debit', null, null"],
  ["a grant that subtracts", "-60, 'grant', null, 'r'"],
  ["a grant without a reference", "60, 'grant', null, null"],
  ["an entry of zero seconds", "0, 'grant', null, 'r'"],
  ["an unknown kind", "60, 'gift', null, 'r'"],
])("the ledger refuses %s", async ([, values]) => {
  const { id } = await fresh.newAccount(100);
  const entry = sql`insert into ledger (account_id, seconds, kind, job_id, reference) values (${id}, ${sql.raw(values ?? "")})`;
  await expect(fresh.db.execute(entry)).rejects.toMatchObject({ cause: { code: "23514" } });
});
