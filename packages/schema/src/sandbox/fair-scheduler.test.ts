import { expect, test } from "vitest";
import { type FairScheduler, openFairScheduler, type Turn } from "./fair-scheduler.ts";

/** Requests a slot. `slot` is set as soon as the scheduler grants it. */
function request(scheduler: FairScheduler<number>, account: string, signal?: AbortSignal) {
  const requested: { slot: Turn<number> | undefined; granted: Promise<Turn<number>> } = {
    slot: undefined,
    granted: scheduler.acquire(account, signal).then((slot) => {
      requested.slot = slot;
      return slot;
    }),
  };
  requested.granted.catch(() => {});
  return requested;
}
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const free = (slot: Turn<number> | undefined, workMs = 0) => {
  slot?.charge(workMs);
  slot?.[Symbol.dispose]();
};

test("one account never gets all places, and its tasks wait for one another", async () => {
  const scheduler = openFairScheduler([0, 1]);
  const [first, second, other] = [request(scheduler, "a"), request(scheduler, "a"), request(scheduler, "b")];
  await settled();
  expect([first.slot, second.slot, other.slot].map(Boolean)).toEqual([true, false, true]);
  free(first.slot);
  await settled();
  expect(second.slot).toBeDefined();
});

test("accounts with much recent work share all places but one", async () => {
  const scheduler = openFairScheduler([0, 1]);
  for (const account of ["heavy 1", "heavy 2", "heavy 3"]) free(await scheduler.acquire(account), 2500);
  const heavy = ["heavy 1", "heavy 2", "heavy 3"].map((account) => request(scheduler, account));
  await settled();
  expect(heavy.filter(({ slot }) => slot)).toHaveLength(1);
  for (let round = 0; round < 20; round++) {
    const light = request(scheduler, "light");
    await settled();
    expect(light.slot).toBeDefined();
    free(light.slot, 7);
  }
});

test("an account whose schema used its whole time leaves the first place to others half a minute later", async () => {
  let now = 0;
  const scheduler = openFairScheduler([0, 1], () => now);
  free(await scheduler.acquire("heavy"), 2000);
  now += 29_000;
  expect((await scheduler.acquire("heavy")).place).toBe(1);
  const [light, other] = [await scheduler.acquire("light"), request(scheduler, "other")];
  expect(light.place).toBe(0);
  free(light, 5);
  await settled();
  expect(other.slot?.place).toBe(0);
});

test("an account with honest work never waits for one that did much more", async () => {
  const scheduler = openFairScheduler([0, 1]);
  free(await scheduler.acquire("bomber"), 5000);
  free(await scheduler.acquire("honest"), 2100);
  const bombs = Array.from({ length: 3 }, () => request(scheduler, "bomber"));
  for (let round = 0; round < 20; round++) {
    const honest = request(scheduler, "honest");
    await settled();
    expect(honest.slot?.place).toBe(0);
    free(honest.slot, 1);
  }
  expect(bombs.map(({ slot }) => slot?.place)).toEqual([1, undefined, undefined]);
});

test("honest accounts with much work use all places", async () => {
  const scheduler = openFairScheduler([0, 1, 2]);
  for (const account of ["a", "b"]) free(await scheduler.acquire(account), 3000);
  expect((await scheduler.acquire("a")).place).toBe(2);
  expect((await scheduler.acquire("b")).place).toBe(1);
  const quick = [request(scheduler, "quick"), request(scheduler, "next")];
  await settled();
  expect(quick.map(({ slot }) => slot?.place)).toEqual([0, undefined]);
});

test("the account with the least recent work goes first, then the first in the queue", async () => {
  const scheduler = openFairScheduler([0]);
  free(await scheduler.acquire("busy"), 1500);
  free(await scheduler.acquire("less busy"), 500);
  const holder = await scheduler.acquire("holder");
  const order: string[] = [];
  const requested = ["busy", "less busy", "fresh 1", "fresh 2"].map((account) =>
    scheduler.acquire(account).then((slot) => {
      order.push(account);
      free(slot, 1);
    }),
  );
  free(holder, 1);
  await Promise.all(requested);
  expect(order).toEqual(["fresh 1", "fresh 2", "less busy", "busy"]);
});

test("old work no longer counts", async () => {
  let now = 0;
  const scheduler = openFairScheduler([0, 1], () => now);
  for (const account of ["once busy", "busy"]) free(await scheduler.acquire(account), 5000);
  await scheduler.acquire("busy");
  const requested = request(scheduler, "once busy");
  await settled();
  expect(requested.slot).toBeUndefined();
  now += 120_000;
  free(await scheduler.acquire("passer-by"));
  await settled();
  expect(requested.slot).toBeDefined();
});

test("an aborted request gets no slot, whether it was aborted before or while it waited", async () => {
  const scheduler = openFairScheduler([0]);
  const holder = await scheduler.acquire("a");
  const leaver = new AbortController();
  const left = request(scheduler, "b", leaver.signal);
  const stays = request(scheduler, "c");
  leaver.abort(new Error("left"));
  await expect(left.granted).rejects.toThrow("left");
  await expect(scheduler.acquire("d", leaver.signal)).rejects.toThrow("left");
  free(holder);
  free(await stays.granted);
  expect(await scheduler.acquire("e")).toBeDefined();
});
