import { once } from "node:events";
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../fresh-database.harness.ts";
import { connect } from "./connect.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

/** A database behind a wire whose connections can be lost without a word, as where a firewall forgets them. */
async function openForgetfulWire(databaseUrl: string) {
  const there = new URL(databaseUrl);
  const pairs = new Set<[Socket, Socket]>();
  const wire = createServer((near) => {
    const far = connectSocket(Number(there.port), there.hostname);
    pairs.add([near, far]);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on("error", () => {});
  });
  wire.listen(0, "127.0.0.1");
  await once(wire, "listening");
  onTestFinished(() => {
    for (const socket of [...pairs].flat()) socket.destroy();
    wire.close();
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(wire.address() as AddressInfo).port}`;
  return {
    url: url.href,
    opened: () => pairs.size,
    forget() {
      for (const [near, far] of pairs) {
        near.unpipe(far).resume();
        far.unpipe(near).resume();
      }
    },
  };
}

const options = { max: 2, applicationName: "test", statementSeconds: 30, lockSeconds: 1 };

test("connections that were lost without a word are replaced, and what they owed is asked again", async () => {
  await using fresh = await freshDatabase();
  const wire = await openForgetfulWire(fresh.database.url);
  const { client } = connect(wire.url, { ...options, silenceSeconds: 1 });
  onTestFinished(() => client.end({ timeout: 0 }));
  const ask = () => retryWhileUnavailable(() => client`select 1 as one`, { ms: 25_000 });
  await Promise.all([client`select pg_sleep(0.1)`, client`select pg_sleep(0.1)`]);
  expect(wire.opened()).toBe(2);
  wire.forget();
  const answers = await Promise.all(Array.from({ length: 6 }, ask));
  expect(answers.map(([row]) => row?.one)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(wire.opened()).toBe(4);
});

test("a connection that owes nothing may be silent for as long as it likes", async () => {
  await using fresh = await freshDatabase();
  const wire = await openForgetfulWire(fresh.database.url);
  const { client } = connect(wire.url, { ...options, max: 1, silenceSeconds: 1, lasting: true });
  onTestFinished(() => client.end({ timeout: 0 }));
  await client`select 1`;
  await fresh.database.db.execute("select pg_sleep(1.5)");
  await client`select 1`;
  expect(wire.opened()).toBe(1);
});
