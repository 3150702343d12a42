import { once } from "node:events";
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../fresh-database.harness.ts";
import { connect } from "./connect.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

/** A database behind a proxy that can drop its connections silently, as a firewall does. */
async function openSilentProxy(databaseUrl: string) {
  const there = new URL(databaseUrl);
  const pairs = new Set<[Socket, Socket]>();
  const proxy = createServer((near) => {
    const far = connectSocket(Number(there.port), there.hostname);
    pairs.add([near, far]);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on("error", () => {});
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    for (const socket of [...pairs].flat()) socket.destroy();
    proxy.close();
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    url: url.href,
    opened: () => pairs.size,
    drop() {
      for (const [near, far] of pairs) {
        near.unpipe(far).resume();
        far.unpipe(near).resume();
      }
    },
  };
}

const options = { max: 2, applicationName: "test", statementSeconds: 30, lockSeconds: 1 };

test("connections that were dropped silently are replaced, and their queries are repeated", async () => {
  await using fresh = await freshDatabase();
  const proxy = await openSilentProxy(fresh.url);
  const { client } = connect(proxy.url, { ...options, silenceSeconds: 1 });
  onTestFinished(() => client.end({ timeout: 0 }));
  const ask = () => retryWhileUnavailable(() => client`select 1 as one`, { ms: 25_000 });
  await Promise.all([client`select pg_sleep(0.1)`, client`select pg_sleep(0.1)`]);
  expect(proxy.opened()).toBe(2);
  proxy.drop();
  const answers = await Promise.all(Array.from({ length: 6 }, ask));
  expect(answers.map(([row]) => row?.one)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(proxy.opened()).toBe(4);
});

test("an idle connection may be silent for any time", async () => {
  await using fresh = await freshDatabase();
  const proxy = await openSilentProxy(fresh.url);
  const { client } = connect(proxy.url, { ...options, max: 1, silenceSeconds: 1, lasting: true });
  onTestFinished(() => client.end({ timeout: 0 }));
  await client`select 1`;
  await fresh.database.db.execute("select pg_sleep(1.5)");
  await client`select 1`;
  expect(proxy.opened()).toBe(1);
});
