import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { lockAccount } from "../accounts/accounts.ts";
import { freshDatabase, newAccount } from "../fresh-database.harness.ts";
import { openDatabase } from "./open-database.ts";
import { transactionWithCommitLimit } from "./retry-while-unavailable.ts";
import { limitLockWait, runStatement, sendTogether } from "./statements.ts";

test("a transaction with one decision is two messages: BEGIN with its reads, and COMMIT with its writes", async () => {
  await using fresh = await freshDatabase();
  const { db, messages, id } = await openWatched(fresh);
  const admit = () =>
    transactionWithCommitLimit(db, 2000, async (tx) => {
      const [, account] = await sendTogether([limitLockWait(tx, 1000), lockAccount(tx, id)]);
      return { result: account?.id, last: rename(tx, id, "new") };
    });
  await admit(); // prepares the statements
  messages.length = 0;
  expect(await admit()).toBe(id);
  expect(messages).toEqual([expect.stringContaining("begin"), expect.any(String)]);
});

test("after a BEGIN that the server refused, no statement changes anything, and the connection still works", async () => {
  await using fresh = await freshDatabase();
  const { db, refuseBegin, id } = await openWatched(fresh);
  const work = async (how: "awaits the lock" | "awaits nothing") => {
    refuseBegin();
    await transactionWithCommitLimit(db, 2000, async (tx) => {
      const locked = lockAccount(tx, id);
      if (how === "awaits the lock") await locked;
      return { result: undefined, last: sendTogether([locked, rename(tx, id, how)]) };
    });
  };
  for (const how of ["awaits the lock", "awaits nothing"] as const) {
    await expect(work(how)).rejects.toMatchObject({ code: "42601" });
    expect(await fresh.db.execute("select name from names")).toEqual([{ name: "old" }]);
    expect(await runStatement(db, "select $1::text as a", ["1"])).toEqual([{ a: "1" }]);
  }
});

test("a last statement that fails rolls everything back, although COMMIT was sent behind it", async () => {
  await using fresh = await freshDatabase();
  const { db, id } = await openWatched(fresh);
  const transaction = transactionWithCommitLimit(db, 2000, async (tx) => {
    await rename(tx, id, "new");
    return { result: undefined, last: runStatement(tx, "select 1 / $1::int", ["0"]) };
  });
  await expect(transaction).rejects.toMatchObject({ code: "22012" });
  expect(await fresh.db.execute("select name from names")).toEqual([{ name: "old" }]);
});

test("a last statement whose plan is outdated is not repeated behind the COMMIT", async () => {
  await using fresh = await freshDatabase();
  const { db, id } = await openWatched(fresh);
  const renamed = () =>
    transactionWithCommitLimit(db, 2000, async (tx) => ({
      result: undefined,
      last: runStatement(tx, "update names set name = 'new' where id = $1 returning *", [id]),
    }));
  await renamed();
  await fresh.db.execute("update names set name = 'old'");
  await fresh.db.execute("alter table names alter name type varchar");
  await expect(renamed()).rejects.toMatchObject({ code: "0A000" });
  expect(await fresh.db.execute("select name from names")).toEqual([{ name: "old" }]);
  await renamed();
  expect(await fresh.db.execute("select name from names")).toEqual([{ name: "new" }]);
});

const rename = (tx: Parameters<typeof lockAccount>[0], id: string, name: string) =>
  runStatement(tx, "update names set name = $1 where id = $2", [name, id]);

/** One connection through a proxy that records what the driver sends together, and an account with a row to change. */
async function openWatched({ url, db }: Awaited<ReturnType<typeof freshDatabase>>) {
  const { id } = await newAccount(db);
  await db.execute("create table names (id uuid, name text)");
  await db.execute(`insert into names values ('${id}', 'old')`);
  const target = new URL(url);
  const messages: string[] = [];
  const sockets: Socket[] = [];
  let refuses = false;
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    sockets.push(client, server);
    for (const socket of [client, server]) socket.on("error", () => {});
    server.pipe(client);
    client.on("data", (bytes) => {
      const text = bytes.toString("latin1");
      messages.push(text);
      const isRefused = refuses && text.includes("begin");
      if (isRefused) refuses = false;
      server.write(isRefused ? Buffer.from(text.replace("begin", "bogus"), "latin1") : bytes);
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const near = new URL(url);
  near.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const watched = openDatabase(near.href, { maxConnections: 1, applicationName: "test" });
  onTestFinished(async () => {
    await watched.close();
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const refuseBegin = () => {
    refuses = true;
  };
  return { db: watched.db, messages, refuseBegin, id };
}
