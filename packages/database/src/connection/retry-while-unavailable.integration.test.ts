import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { startPostgres } from "@video-to-json/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "./open-database.ts";
import { isDatabaseUnavailable, retryWhileUnavailable } from "./retry-while-unavailable.ts";

let server: Awaited<ReturnType<typeof startPostgres>>;
let database: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  server = await startPostgres();
  database = openDatabase(server.url, { maxConnections: 4, applicationName: "test" });
  await database.db.execute("select 1");
});
afterAll(async () => {
  await database.close();
  await server.stop();
});

test("work continues after the server was killed, and knows that it may be a repetition", async () => {
  const tries: boolean[] = [];
  const work = retryWhileUnavailable(async (again) => {
    tries.push(again);
    if (!again) await server.kill();
    else if (tries.length === 4) await server.restart();
    return database.db.execute(sql`select 1 as one`);
  });
  expect(await work).toEqual([{ one: 1 }]);
  expect(tries[0]).toBe(false);
  expect(tries.slice(1).every(Boolean)).toBe(true);
});

test("the error of a server that stays down, and any other error, is thrown", async () => {
  let tries = 0;
  const failing = retryWhileUnavailable(async () => {
    tries += 1;
    return database.db.execute(sql`select nothing`);
  });
  await expect(failing).rejects.toThrow();
  expect(tries).toBe(1);
  const nobody = openDatabase("postgres://nobody@127.0.0.1:1/x", { maxConnections: 1, applicationName: "test" });
  await expect(retryWhileUnavailable(() => nobody.db.execute("select 1"), { ms: 3000 })).rejects.toMatchObject({
    cause: { code: "ECONNREFUSED" },
  });
  await nobody.close();
});

test("a server that never answers gets no more time than one that is down", async () => {
  const stopped = await processesOf(server.pid);
  await database.db.execute("select 1");
  for (const pid of stopped) process.kill(pid, "SIGSTOP");
  try {
    const asked = retryWhileUnavailable(() => database.db.execute("select 1"), { ms: 300 });
    await expect(asked).rejects.toSatisfy(isDatabaseUnavailable);
  } finally {
    for (const pid of stopped) process.kill(pid, "SIGCONT");
  }
  await retryWhileUnavailable(() => database.db.execute("select 1"));
});

test("a locked table and a read-only server count as unavailable", async () => {
  const { db } = database;
  await db.execute(sql`create table places (name text)`);
  const locked = db.transaction(async (tx) => {
    await tx.execute(sql`lock table places`);
    await expect(insertAtOnce()).rejects.toSatisfy(isDatabaseUnavailable);
  });
  await locked;
  const readOnly = db.transaction(async (tx) => {
    await tx.execute(sql`set transaction read only`);
    await tx.execute(sql`insert into places values ('a')`);
  });
  await expect(readOnly).rejects.toSatisfy(isDatabaseUnavailable);
  await expect(db.execute(sql`select nothing`)).rejects.not.toSatisfy(isDatabaseUnavailable);

  function insertAtOnce() {
    return db.transaction(async (tx) => {
      await tx.execute(sql`set local lock_timeout = 10`);
      await tx.execute(sql`insert into places values ('a')`);
    });
  }
});

test("after many failed attempts a restarted server is found within seconds", async () => {
  await server.kill();
  for (let i = 0; i < 12; i++)
    await Promise.allSettled([database.db.execute("select 1"), database.db.execute("select 1")]);
  await server.restart();
  const back = Date.now();
  await retryWhileUnavailable(() => database.db.execute("select 1"));
  expect(Date.now() - back).toBeLessThan(4000);
});

async function processesOf(postmaster: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]);
  const all = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/ +/).map(Number));
  return all.flatMap(([pid = 0, parent]) => (pid === postmaster || parent === postmaster ? [pid] : []));
}
