import { once } from "node:events";
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from "node:net";
import type { Sql } from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../fresh-database.harness.ts";
import { connect } from "./connect.ts";
import { replaceDeadConnections } from "./replace-dead-connections.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

/** A database behind a proxy that can drop its connections silently, as a firewall does. */
async function openSilentProxy(databaseUrl: string) {
  const there = new URL(databaseUrl);
  const pairs = new Set<[Socket, Socket]>();
  // A firewall that drops packets does not answer the end of a connection either.
  const proxy = createServer({ allowHalfOpen: true }, (near) => {
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

function watch(client: Sql, url: string, limits: Partial<Parameters<typeof replaceDeadConnections>[2]> = {}) {
  const { client: probe } = connect(url, { ...options, max: 1 });
  const endWatch = replaceDeadConnections(client, probe, { silentMs: 300, everyMs: 100, probeMs: 500, ...limits });
  onTestFinished(async () => {
    endWatch();
    await Promise.all([client.end({ timeout: 0 }), probe.end({ timeout: 0 })]);
  });
}

test("when the server executes nothing for a silent connection, all connections are replaced within seconds, idle ones too", async () => {
  await using fresh = await freshDatabase();
  const proxy = await openSilentProxy(fresh.url);
  const { client } = connect(proxy.url, { ...options, max: 4 });
  watch(client, proxy.url);
  await Promise.all(Array.from({ length: 4 }, () => client`select pg_sleep(0.1)`));
  const inTransaction = client.begin(async (tx) => {
    await tx`select 1`;
    proxy.drop();
    await tx`select 2`;
  });
  const started = performance.now();
  await expect(inTransaction).rejects.toThrow("CONNECTION_CLOSED");
  // The queries follow one another, so that each takes the next idle connection.
  for (let n = 0; n < 4; n++) expect(await client`select 1 as one`).toEqual([{ one: 1 }]);
  expect(performance.now() - started).toBeLessThan(8000);
});

test("a statement that waits for a lock, or is slow, keeps its connection however long it is silent", async () => {
  await using fresh = await freshDatabase();
  const { client } = connect(fresh.url, { ...options, lockSeconds: 10, max: 3 });
  watch(client, fresh.url);
  await client`create table places (name text)`;
  const slow = client`select pg_sleep(3)`;
  const holding = client.begin(async (tx) => {
    await tx`lock table places`;
    await new Promise((resolve) => setTimeout(resolve, 3000));
  });
  const waiting = client`select count(*)::int as n from places`;
  const [, , rows] = await Promise.all([slow, holding, waiting]);
  expect(rows).toEqual([{ n: 0 }]);
});

test("connections that end on a dead network are replaced at once", async () => {
  await using fresh = await freshDatabase();
  const proxy = await openSilentProxy(fresh.url);
  const { client } = connect(proxy.url, options);
  onTestFinished(() => client.end({ timeout: 0 }));
  await Promise.all([client`select pg_sleep(0.1)`, client`select pg_sleep(0.1)`]);
  proxy.drop();
  // The driver calls this function after the idle time or the lifetime of a connection. Its types do not have it.
  void (client as Sql & { close?: () => Promise<void> }).close?.();
  expect(await client`select 1 as one`).toEqual([{ one: 1 }]);
});
