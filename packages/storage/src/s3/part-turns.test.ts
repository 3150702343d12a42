import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { StorageUnavailable } from "../storage.ts";
import { createPartTurns } from "./put-object.ts";

const quick = { quickMs: 4, patienceMs: 10, slowMs: 30, maxWaitMs: 5000 };

test("there are as many turns as parts, and uploads get them in the order of their calls", async () => {
  const turns = createPartTurns(2, quick);
  const [a, b, c] = [turns.begin(vi.fn()), turns.begin(vi.fn()), turns.begin(vi.fn())];
  await a.take();
  await a.take();
  const order: string[] = [];
  const waiting = [b.take().then(() => order.push("b")), c.take().then(() => order.push("c"))];
  await turn();
  expect(order).toEqual([]);
  a.giveBack();
  await waiting[0];
  a.giveBack();
  await Promise.all(waiting);
  expect(order).toEqual(["b", "c"]);
});

test("quick parts share a few turns; a slow part allows another one", async () => {
  const turns = createPartTurns(3, { ...quick, few: 1, quickMs: 100 });
  const [first, second, third] = [turns.begin(vi.fn()), turns.begin(vi.fn()), turns.begin(vi.fn())];
  await first.take();
  expect(turns.areScarce()).toBe(true);
  const taken = second.take();
  first.giveBack();
  await taken;
  const startedAt = performance.now();
  await third.take();
  expect(performance.now() - startedAt).toBeGreaterThan(50);
});

test("an upload that fills its part for long gives way to one that waits, and a quick one does not", async () => {
  const turns = createPartTurns(2, quick);
  const slow = turns.begin((reason) => {
    expect(reason).toBeInstanceOf(StorageUnavailable);
    slow[Symbol.dispose]();
  });
  const evictQuick = vi.fn();
  const quickOne = turns.begin(evictQuick);
  await slow.take();
  await quickOne.take();
  const renewed = setInterval(() => {
    quickOne.giveBack();
    void quickOne.take();
  }, 5);
  const late = turns.begin(vi.fn());
  await sleep(50);
  await late.take();
  clearInterval(renewed);
  expect(evictQuick).not.toHaveBeenCalled();
});

test("no upload is ended while no other waits", async () => {
  const turns = createPartTurns(1, quick);
  const evict = vi.fn();
  await turns.begin(evict).take();
  await sleep(100);
  expect(evict).not.toHaveBeenCalled();
});

test("an upload that waits too long gets StorageUnavailable, and takes no turn later", async () => {
  const turns = createPartTurns(1, { ...quick, slowMs: 60_000, maxWaitMs: 20 });
  const holder = turns.begin(vi.fn());
  await holder.take();
  await expect(turns.begin(vi.fn()).take()).rejects.toThrow(StorageUnavailable);
  holder.giveBack();
  await turns.begin(vi.fn()).take();
});

test("an upload that ends while it waits leaves its turn to the next", async () => {
  const turns = createPartTurns(1, quick);
  const first = turns.begin(vi.fn());
  await first.take();
  const gone = turns.begin(vi.fn());
  const taken = gone.take();
  gone[Symbol.dispose]();
  first.giveBack();
  await taken;
  await turns.begin(vi.fn()).take();
});
