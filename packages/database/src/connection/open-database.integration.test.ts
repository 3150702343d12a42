import { createServer } from "node:net";
import { inspect } from "node:util";
import { createTestDatabase } from "@video-to-json/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { freshDatabase, newAccount } from "../fresh-database.harness.ts";
import { insertJob } from "../jobs/insert-job.ts";
import { accounts } from "../tables/accounts.ts";
import { connect } from "./connect.ts";
import { openDatabase, type Tx } from "./open-database.ts";

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh[Symbol.asyncDispose]());

test("a connection that dies between two statements of a transaction undoes both", async () => {
  await fresh.db.execute(sql`create table entries (name text)`);
  let second: unknown;
  const lost = fresh.db.transaction(async (tx) => {
    await tx.execute(sql`insert into entries values ('first')`);
    await kill(await backendOf(tx));
    // The pool may have opened a new connection by now. No statement of this transaction may run on it.
    await fresh.db.execute(sql`select 1`);
    second = await tx.execute(sql`insert into entries values ('second')`).catch(() => "refused");
  });
  await expect(lost).rejects.toThrow();
  await expect.poll(() => second).toBe("refused");
  expect(await fresh.db.execute(sql`select * from entries`)).toHaveLength(0);
});

test("a connection that dies during a statement fails only its transaction", async () => {
  const lost = fresh.db.transaction(async (tx) => {
    const pid = await backendOf(tx);
    await Promise.all([tx.execute(sql`select pg_sleep(20)`), kill(pid)]);
  });
  await expect(lost).rejects.toThrow();
  expect(await fresh.db.execute(sql`select 1 as one`)).toEqual([{ one: 1 }]);
});

test("a server that closes every connection causes an error, not an endless wait", async () => {
  const rude = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
  await new Promise((resolve) => rude.once("listening", resolve));
  const { port } = rude.address() as { port: number };
  const database = openDatabase(`postgres://x@127.0.0.1:${port}/x`, { maxConnections: 1, applicationName: "test" });
  await expect(database.db.execute(sql`select 1`)).rejects.toThrow();
  await database.close();
  rude.close();
});

test("dates and numbers are read right from a database with a style of its own", async () => {
  await using other = await freshDatabase();
  const { pathname } = new URL(other.url);
  const own = ["datestyle = 'German'", "timezone = 'Asia/Kathmandu'", "extra_float_digits = -10"];
  for (const setting of own) await other.db.execute(sql.raw(`alter database "${pathname.slice(1)}" set ${setting}`));
  const { db, close } = openDatabase(other.url, { maxConnections: 1, applicationName: "test" });
  onTestFinished(() => close());
  const { id } = await newAccount(db);
  await db.update(accounts).set({ createdAt: new Date("2026-03-01T22:30:00.250Z") });
  const [account] = await db.select({ at: accounts.createdAt }).from(accounts).where(eq(accounts.id, id));
  expect(account?.at.toISOString()).toBe("2026-03-01T22:30:00.250Z");
  const [row] = await db.execute(sql`select '2026-03-01'::date as day, 0.1::float8 + 0.2 as sum`);
  expect([row?.day, Number(row?.sum)]).toEqual(["2026-03-01", 0.1 + 0.2]);
});

test("the error of a failed query contains none of the caller's texts", async () => {
  const { id: accountId } = await newAccount(fresh.db);
  const job = {
    id: "00000000-0000-4000-8000-000000000000",
    accountId,
    schemaText: '{"about":"confidential"}',
    instructions: "confidential",
    videoUrl: "https://example.com/?token=confidential",
    hasUpload: false,
    requestHash: "h",
    deadlineSeconds: 1,
  };
  const twice = fresh.db.transaction(async (tx) => {
    await insertJob(tx, job);
    await insertJob(tx, job);
  });
  const error = await twice.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(everythingIn(error)).toContain("jobs_pkey");
  expect(everythingIn(error)).not.toContain("confidential");
});

test("every statement has a time limit, and an idle transaction ends before others stop waiting for its locks", async () => {
  const limits = await fresh.db.execute(sql`
    select name, setting::int / 1000 as seconds from pg_settings
    where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name`);
  expect(limits.map(({ seconds }) => seconds)).toEqual([10, 15, 30]);
});

async function backendOf(tx: Tx): Promise<number> {
  const [row] = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  return row?.pid ?? 0;
}

async function kill(pid: number): Promise<void> {
  await fresh.db.execute(sql`select pg_terminate_backend(${pid}, 5000)`);
}

/** All parts of an error and its causes that a log could show. */
function everythingIn(error: unknown): string {
  return `${inspect(error, { depth: 10 })} ${JSON.stringify(error)}`;
}

test("a statement is prepared once on a connection, in a transaction and outside, for all values", async () => {
  const one = openDatabase(fresh.url, { maxConnections: 1, applicationName: "test" });
  const add = (db: Pick<Tx, "execute">, n: number) => db.execute(sql`select ${n}::int + 1 as next`);
  for (const n of [1, 2]) expect(await add(one.db, n)).toEqual([{ next: n + 1 }]);
  await one.db.transaction(async (tx) => {
    expect(await Promise.all([add(tx, 3), add(tx, 4)])).toEqual([[{ next: 4 }], [{ next: 5 }]]);
  });
  const prepared = await one.db.execute("select statement from pg_prepared_statements where statement like '%as next'");
  expect(prepared).toHaveLength(1);
  await one.close();
});

test("outside a transaction no statement waits behind a slow one while another connection is free", async () => {
  const two = openDatabase(fresh.url, { maxConnections: 2, applicationName: "test" });
  const sleep = (seconds: number) => two.db.execute(sql`select pg_sleep(${seconds})`);
  await Promise.all([sleep(0), sleep(0)]);
  let slowEnded = false;
  const slow = sleep(3).then(() => {
    slowEnded = true;
  });
  for (let n = 0; n < 20; n++) await sleep(0);
  await Promise.all(Array.from({ length: 20 }, () => sleep(0)));
  expect(slowEnded).toBe(false);
  await slow;
  await two.close();
});

test("connections that are renewed finish their queries and transactions, and read from the new server after them", async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const { client } = connect(url, { max: 1, applicationName: "test", statementSeconds: 30, lockSeconds: 5 });
  onTestFinished(() => client.end());
  const pid = async (sql: Pick<typeof client, "unsafe">, more = "") =>
    (await sql.unsafe<{ pid: number }[]>(`select pg_backend_pid() as pid ${more}`))[0]?.pid;
  const first = await pid(client);
  const busy = pid(client, "from pg_sleep(0.2)");
  await expect.poll(() => client.silences().length).toBe(1);
  client.renew();
  expect(await busy).toBe(first);
  const second = await pid(client);
  expect(second).not.toBe(first);
  const inside = await client.begin(async (tx) => {
    client.renew();
    return [await pid(tx), await pid(tx)];
  });
  expect(inside).toEqual([second, second]);
  expect(await pid(client)).not.toBe(second);
});
