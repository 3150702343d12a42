import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { testRedis } from "@video-to-json/testing";
import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { ownRedis } from "../testing/queue.harness.ts";
import { openPermits, type Permit, PermitLost } from "./permits.ts";

const never = new AbortController().signal;

type Place = { url: string; prefix?: string };

/** Opens the permits of one process. */
function permitsOf({ url, prefix = "v2j" }: Place, limit: number) {
  const errors: Error[] = [];
  const options = { redisUrl: url, prefix, onError: (error: Error) => void errors.push(error) };
  const permits = openPermits({ ...options, limit });
  onTestFinished(() => permits.close());
  const take = (accountId: string, signal: AbortSignal) => permits.take({ accountId, pays: true }, signal);
  const takeFree = (accountId: string) => permits.take({ accountId, pays: false }, never);
  return { ...permits, take, takeFree, errors };
}

test("while an account that pays waits, all others get permits up to half of them, and alone they get all", async () => {
  const redis = testRedis();
  const [one, other] = [permitsOf(redis, 8), permitsOf(redis, 8)];
  const free = await Promise.all(Array.from({ length: 8 }, (_, n) => one.takeFree(`free ${n}`)));
  const order: string[] = [];
  const freeOnes = () => order.filter((kind) => kind === "free").length;
  for (let n = 0; n < 12; n++) void one.takeFree(`later ${n}`).then(() => order.push("free"));
  const paying = Array.from({ length: 4 }, () => other.take("paying", never).then(() => order.push("paying")));
  // Both processes have said that they wait.
  await setTimeout(400);
  for (const permit of free.slice(0, 6)) permit.release();
  // Two of the first eight are left, so the free ones get two and leave four.
  await Promise.all(paying);
  expect(freeOnes()).toBeLessThanOrEqual(2);
  await expect.poll(freeOnes).toBe(2);
  for (const permit of free.slice(6)) permit.release();
  await expect.poll(freeOnes).toBe(4);
});

test("an account that pays gets the only permit before a free one that waits ahead of it at the bound", async () => {
  const redis = testRedis();
  const [one, other] = [permitsOf(redis, 2), permitsOf(redis, 2)];
  const [first, second] = [await one.takeFree("a"), await one.takeFree("b")];
  const order: string[] = [];
  const ahead = one.takeFree("c").then(() => order.push("free"));
  await setTimeout(200);
  const paying = other.take("p", never).then(() => order.push("paying"));
  await setTimeout(300);
  first.release();
  await paying;
  second.release();
  await ahead;
  expect(order).toEqual(["paying", "free"]);
});

test("two processes together never hold more permits than the limit, and everybody gets one", async () => {
  const redis = testRedis();
  const processes = [permitsOf(redis, 3), permitsOf(redis, 3)];
  let held = 0;
  let most = 0;
  const work = async (index: number) => {
    const permit = await processes[index % 2]?.take(`account ${index % 5}`, never);
    held++;
    most = Math.max(most, held);
    await setTimeout(5);
    held--;
    permit?.release();
    permit?.release();
  };
  await Promise.all(Array.from({ length: 40 }, (_, index) => work(index)));
  expect([most, held]).toEqual([3, 0]);
  expect(processes.map((permits) => permits.held())).toEqual([0, 0]);
});

test("the permits of a process go to its accounts in turn", async () => {
  const permits = permitsOf(testRedis(), 1);
  const first = await permits.take("a", never);
  const order: string[] = [];
  const take = async (name: string) => {
    const permit = await permits.take(name.charAt(0), never);
    order.push(name);
    permit.release();
  };
  const all = ["a1", "a2", "b1", "c1"].map(take);
  first.release();
  await Promise.all(all);
  expect(order).toEqual(["a1", "b1", "c1", "a2"]);
});

test("a process takes no permit unless a job of its own waits, also when waiting jobs have left", async () => {
  const redis = testRedis();
  const [one, other] = [permitsOf(redis, 1), permitsOf(redis, 1)];
  const first = await one.take("a", never);
  const leaving = new AbortController();
  const left = other.take("b", leaving.signal);
  const waiting = one.take("a", never);
  leaving.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  await expect(other.take("b", leaving.signal)).rejects.toThrow("left");
  first.release();
  const second = await waiting;
  second.release();
  (await other.take("b", never)).release();
  expect([one.held(), other.held()]).toEqual([0, 0]);
  const client = new Redis(redis.url);
  const keys = ["leases", "waiting"].map((name) => `${redis.prefix}:permits:${name}`);
  await expect.poll(() => client.exists(...keys)).toBe(0);
  client.disconnect();
});

test("the permits of a dead process are given to others within fifteen seconds", async () => {
  const redis = testRedis();
  const [dead, alive] = [permitsOf(redis, 1), permitsOf(redis, 1)];
  await dead.take("a", never);
  await dead.close();
  const began = Date.now();
  (await alive.take("b", never)).release();
  expect(Date.now() - began).toBeLessThan(15_000);
});

test("a dead process that waited keeps no permit from others for long, and leaves nothing", async () => {
  const redis = testRedis();
  const [dead, alive] = [permitsOf(redis, 1), permitsOf(redis, 1)];
  const held = await alive.take("a", never);
  dead.take("b", never).catch(() => {});
  const client = new Redis(redis.url);
  await expect.poll(() => client.hlen(`${redis.prefix}:permits:waiting`)).toBe(1);
  await dead.close();
  const own = alive.take("a", never);
  await expect.poll(() => client.hlen(`${redis.prefix}:permits:waiting`)).toBe(2);
  held.release();
  const began = Date.now();
  (await own).release();
  expect(Date.now() - began).toBeLessThan(5_000);
  await expect.poll(() => client.keys(`${redis.prefix}:permits:*`)).toEqual([`${redis.prefix}:permits:limit`]);
  client.disconnect();
});

test("a process that gives a permit back and wants another waits behind a process that waits already", async () => {
  const redis = testRedis();
  const [busy, other] = [permitsOf(redis, 1), permitsOf(redis, 1)];
  const first = await busy.take("a", never);
  const order: string[] = [];
  const work = async (name: string, permits: typeof busy) => {
    const permit = await permits.take("a", never);
    order.push(name);
    permit.release();
  };
  const waiting = work("other", other);
  const client = new Redis(redis.url);
  await expect.poll(() => client.hlen(`${redis.prefix}:permits:waiting`)).toBe(1);
  const all = ["busy", "busy again"].map((name) => work(name, busy));
  first.release();
  await Promise.all([waiting, ...all]);
  expect(order[0]).toBe("other");
  client.disconnect();
});

test("after Redis has lost its data, permits come late, but never more than the limit", async () => {
  await using redis = await ownRedis();
  const processes = [permitsOf(redis, 2), permitsOf(redis, 2)];
  const holders = new Set<Permit>();
  let most = 0;
  const work = async (index: number) => {
    const permit = await processes[index % 2]?.take("a", never);
    if (!permit) return;
    holders.add(permit);
    most = Math.max(most, holders.size);
    // The first two end only because they lose their permits.
    await setTimeout(index < 2 ? 60_000 : 50, undefined, { signal: permit.signal }).catch(() => undefined);
    holders.delete(permit);
    permit.release();
  };
  const all = Array.from({ length: 8 }, (_, index) => work(index));
  await expect.poll(() => holders.size).toBe(2);
  const client = new Redis(redis.url);
  await client.flushall();
  client.disconnect();
  await Promise.all(all);
  expect(most).toBe(2);
});

test("a permit that Redis no longer counts is lost, and waiting jobs still get permits", async () => {
  const redis = testRedis();
  const permits = permitsOf(redis, 1);
  const key = (name: string) => `${redis.prefix}:permits:${name}`;
  const client = new Redis(redis.url);
  const held = await permits.take("a", never);
  const waiting = permits.take("b", never);
  await expect.poll(() => client.hlen(key("waiting"))).toBe(1);
  await client.del(key("waiting"), key("leases"));
  await expect.poll(() => held.signal.reason).toBeInstanceOf(PermitLost);
  held.release();
  (await waiting).release();
  await expect.poll(() => permits.held()).toBe(0);
  client.disconnect();
});

test("during a pause no process gets a permit; a shorter pause does not end it", async () => {
  const redis = testRedis();
  const [one, other] = [permitsOf(redis, 4), permitsOf(redis, 4)];
  const before = await one.take("a", never);
  await one.pauseFor(1_500);
  await one.pauseFor(100);
  await one.pauseFor(0);
  await one.pauseFor(Number.NaN);
  const began = Date.now();
  await Promise.all([one.take("a", never), other.take("b", never)]);
  expect(Date.now() - began).toBeGreaterThanOrEqual(1_400);
  expect(Date.now() - began).toBeLessThan(4_000);
  before.release();
});

test("a limit that is not an integer from 1 is rejected", () => {
  const { url: redisUrl } = testRedis();
  for (const limit of [0, -1, 1.5, Number.NaN])
    expect(() => openPermits({ redisUrl, prefix: randomUUID(), onError: () => {}, limit })).toThrow(RangeError);
});
