import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { findCommand, repositoryRoot } from "@video-to-json/testing/running";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Db } from "./connection/open-database.ts";
import { freshDatabase } from "./fresh-database.harness.ts";
import { findCallerByKey } from "./keys/find-caller-by-key.ts";
import { insertKey } from "./keys/keys.ts";
import { balance } from "./money/balance.ts";
import { grant } from "./money/grant.ts";
import { openAccount } from "./money/open-account.ts";

test("infra/dump-accounts moves accounts, keys, balances and free grants into a new database", async (context) => {
  const [dump, psql] = [findCommand("pg_dump"), findCommand("psql")];
  if (!dump || !psql) return context.skip("there is no pg_dump here");
  await using old = await freshDatabase();
  const [server] = await old.db.execute<{ major: number }>(
    "select current_setting('server_version_num')::int / 10000 as major",
  );
  const own = Number(/\d+/.exec(execFileSync(dump, ["--version"], { encoding: "utf8" }))?.[0]);
  // A database in a container may be newer than the programs of this machine.
  if (own < Number(server?.major)) return context.skip("pg_dump is older than the server");
  await using fresh = await freshDatabase();
  const email = "moves@example.com";
  const { account } = await openAccount(old.db, { email, freeSeconds: 1800 });
  const sha256 = Buffer.alloc(32, 7);
  await insertKey(old.db, { accountId: account.id, name: "server", sha256, display: "v2j_live_test" });
  await grant(old.db, { accountId: account.id, seconds: 600, reference: "invoice 7" });
  await old.db.execute(sql`insert into ledger (account_id, seconds, kind, job_id)
    values (${account.id}, -90, 'debit', gen_random_uuid())`);

  const text = execFileSync(join(repositoryRoot, "infra/dump-accounts"), [old.url], {
    env: { ...process.env, PG_DUMP: dump },
  });
  execFileSync(psql, ["--quiet", "--single-transaction", "-v", "ON_ERROR_STOP=1", fresh.url], { input: text });

  expect((await findCallerByKey(fresh.db, sha256))?.accountId).toBe(account.id);
  expect([await balance(fresh.db, account.id), await pays(fresh.db, account.id)]).toEqual([2310, true]);
  expect(await openAccount(fresh.db, { email, freeSeconds: 1800 })).toMatchObject({ granted: false });
});

async function pays(db: Db, id: string): Promise<unknown> {
  const [row] = await db.execute(sql`select pays from accounts where id = ${id}`);
  return row?.pays;
}
