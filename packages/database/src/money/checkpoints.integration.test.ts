import { randomUUID } from "node:crypto";
import { runsAllTests } from "@video-to-json/testing";
import { type SQL, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../connection/open-database.ts";
import { accountStateText } from "./account-state.ts";
import { balance, balances, newestCheckpoint, rowsBetweenCheckpoints, sumsAfter } from "./balance.ts";
import { freshLedger } from "./fresh-ledger.harness.ts";
import { grant } from "./grant.ts";

let fresh: Awaited<ReturnType<typeof freshLedger>>;
beforeAll(async () => {
  fresh = await freshLedger();
});
afterAll(() => fresh[Symbol.asyncDispose]());

/** The sum of the whole ledger of an account, in seconds. */
async function wholeSum(accountId: string): Promise<number> {
  const [row] = await fresh.db.execute(sql`select sum(seconds) as s from ledger where account_id = ${accountId}`);
  return Number(row?.s);
}

async function wrongCheckpoints(accountId: string): Promise<unknown[]> {
  return fresh.db.execute(sql`
    select * from ledger_checkpoints c where account_id = ${accountId} and seconds <>
      (select sum(seconds) from ledger l where l.account_id = c.account_id and l.id <= c.ledger_id)`);
}

test("reading a long ledger adds a checkpoint; deleting all checkpoints changes no balance", async () => {
  const { id } = await fresh.newAccount(100_000);
  await fresh.addDebits(id, 1234);
  const expected = 100_000 - 1234;
  expect(await newestCheckpoint(fresh.db, id)).toMatchObject({ ledgerId: 0 });
  expect(await balance(fresh.db, id)).toBe(expected);
  expect(await newestCheckpoint(fresh.db, id)).toMatchObject({ seconds: expected });
  await fresh.addDebits(id, 7);
  const withCheckpoint = await fresh.sums(id);
  await fresh.db.execute(sql`delete from ledger_checkpoints`);
  expect(await fresh.sums(id)).toEqual(withCheckpoint);
  expect(withCheckpoint).toEqual({ balance: expected - 7, available: expected - 7 });
});

test("an account with few new rows gets no checkpoint", async () => {
  const { id } = await fresh.newAccount(100_000);
  await fresh.addDebits(id, rowsBetweenCheckpoints - 2);
  await balances(fresh.db, id);
  expect(await newestCheckpoint(fresh.db, id)).toMatchObject({ ledgerId: 0 });
});

test("a row of a transaction that writes first and commits last is missing from no balance", async () => {
  const { id } = await fresh.newAccount(100_000);
  await fresh.addDebits(id, rowsBetweenCheckpoints);
  let isLaterOver = false;
  const { later } = await fresh.db.transaction(async (tx) => {
    // An operator writes a row without a lock.
    await tx.execute(sql`insert into ledger (account_id, seconds, kind, reference) values (${id}, 5, 'grant', 'slow')`);
    const writeAndRead = async () => {
      await grant(fresh.db, { accountId: id, seconds: 7, reference: "quick" });
      await fresh.addDebits(id, rowsBetweenCheckpoints);
      await balance(fresh.db, id);
      isLaterOver = true;
    };
    const later = writeAndRead();
    await expect.poll(async () => isLaterOver || (await isWaitingForLock())).toBe(true);
    return { later };
  });
  await later;
  expect(await balance(fresh.db, id)).toBe(await wholeSum(id));
  expect(await wrongCheckpoints(id)).toEqual([]);

  async function isWaitingForLock(): Promise<boolean> {
    const waits = await fresh.db.execute(sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    return waits.length > 0;
  }
});

test("while writers with and without locks race with readers, every checkpoint is the sum of its rows", async () => {
  const { id } = await fresh.newAccount(1_000_000);
  const write = async (writer: number) => {
    for (let round = 0; round < 15; round++) {
      if (writer % 2) await grant(fresh.db, { accountId: id, seconds: 1, reference: `${writer} ${round}` });
      else await fresh.addDebits(id, 100);
    }
  };
  let isWriting = true;
  const read = async () => {
    while (isWriting) {
      await fresh.db.transaction((tx) => balances(tx, id));
      await balance(fresh.db, id);
    }
  };
  const writing = Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer))).finally(() => {
    isWriting = false;
  });
  await Promise.all([writing, read(), read(), read()]);
  const [made] = await fresh.db.execute(
    sql`select count(*)::int as n from ledger_checkpoints where account_id = ${id}`,
  );
  expect(made?.n).toBeGreaterThan(3);
  expect(await wrongCheckpoints(id)).toEqual([]);
  expect(await balance(fresh.db, id)).toBe(1_000_000 - 4 * 15 * 100 + 4 * 15);
});

test("a checkpoint cannot be changed, and a read-only database still returns the balance", async () => {
  const { id } = await fresh.newAccount(100_000);
  await fresh.addDebits(id, rowsBetweenCheckpoints);
  const readOnly = openDatabase(`${fresh.url}?default_transaction_read_only=on`, {
    maxConnections: 1,
    applicationName: "test",
  });
  onTestFinished(readOnly.close);
  expect(await balance(readOnly.db, id)).toBe(100_000 - rowsBetweenCheckpoints);
  expect(await balance(fresh.db, id)).toBe(100_000 - rowsBetweenCheckpoints);
  const change = fresh.db.execute(sql`update ledger_checkpoints set seconds = 0`);
  await expect(change).rejects.toMatchObject({ cause: { code: "23001" } });
});

test.each(runsAllTests ? [100_000, 300_000] : [20_000])(
  "a balance and an admission with %i ledger rows read at most 1.5 times the pages of those with a thousand, and one more level of each index",
  async (rows) => {
    const [few, many] = [await fresh.newAccount(10_000_000), await fresh.newAccount(10_000_000)];
    // Rows of many accounts lie between those of one.
    await fresh.addDebits(few.id, 1000);
    await fresh.addDebits(many.id, rows / 2);
    for (let other = 0; other < 5; other++) await fresh.addDebits(randomUUID(), 2000);
    await fresh.addDebits(many.id, rows / 2);
    for (const { id } of [few, many]) {
      await balance(fresh.db, id);
      await fresh.addDebits(id, rowsBetweenCheckpoints / 2);
    }
    const pages = async () => [await pagesOf(few.id), await pagesOf(many.id)] as const;
    const ofAdmission = async () => [await pagesOfState(few.id), await pagesOfState(many.id)] as const;
    const unanalysed = [await pages(), await ofAdmission()];
    await fresh.db.execute(sql`vacuum analyze ledger`);
    const analysed = [await pages(), await ofAdmission()];
    for (const [ofFew, ofMany] of [...unanalysed, ...analysed])
      expect(ofMany).toBeLessThanOrEqual(Math.ceil(1.5 * ofFew) + 2);
  },
);

/** The pages that a balance reads. */
async function pagesOf(accountId: string): Promise<number> {
  const checkpoint = await newestCheckpoint(fresh.db, accountId);
  return (
    (await explained(sumsAfter(checkpoint, accountId))) +
    (await explained(sql`
      select ledger_id, seconds from ledger_checkpoints where account_id = ${accountId} order by ledger_id desc limit 1`))
  );
}

/** The pages that an admission reads about the account. */
async function pagesOfState(accountId: string): Promise<number> {
  const { ledgerId } = await newestCheckpoint(fresh.db, accountId);
  const values = [`'${accountId}'`, `'${randomUUID()}'`, String(ledgerId)];
  return explained(sql.raw(accountStateText.replace(/\$(\d)/g, (_, number) => values[number - 1] ?? "")));
}

async function explained(query: SQL): Promise<number> {
  const [row] = await fresh.db.execute<{ "QUERY PLAN": string }>(sql`explain (analyze, buffers, format json) ${query}`);
  const [plan] = JSON.parse(String(row?.["QUERY PLAN"]));
  return plan.Plan["Shared Hit Blocks"] + plan.Plan["Shared Read Blocks"];
}
