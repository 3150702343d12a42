import { expect, test } from "vitest";
import { openFairScheduler, type Place } from "./fair-scheduler.ts";

/** Asks for a place and says whether it came at once. */
function ask(turns: ReturnType<typeof openFairScheduler>, account: string, signal?: AbortSignal) {
  const asked: { place: Place | undefined; taken: Promise<Place> } = {
    place: undefined,
    taken: turns.take(account, signal).then((place) => {
      asked.place = place;
      return place;
    }),
  };
  asked.taken.catch(() => {});
  return asked;
}
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const giveBack = (place: Place | undefined, workMs = 0) => {
  place?.charge(workMs);
  place?.[Symbol.dispose]();
};

test("one account never has all places, and its own wait for one another", async () => {
  const turns = openFairScheduler(2);
  const [first, second, other] = [ask(turns, "a"), ask(turns, "a"), ask(turns, "b")];
  await settled();
  expect([first.place, second.place, other.place].map(Boolean)).toEqual([true, false, true]);
  giveBack(first.place);
  await settled();
  expect(second.place).toBeDefined();
});

test("accounts with much work of late share all places but one", async () => {
  const turns = openFairScheduler(2);
  for (const account of ["bomber 1", "bomber 2", "bomber 3"]) giveBack(await turns.take(account), 2500);
  const bombers = ["bomber 1", "bomber 2", "bomber 3"].map((account) => ask(turns, account));
  await settled();
  expect(bombers.filter(({ place }) => place)).toHaveLength(1);
  for (let request = 0; request < 20; request++) {
    const honest = ask(turns, "honest");
    await settled();
    expect(honest.place).toBeDefined();
    giveBack(honest.place, 7);
  }
});

test("who sent one schema that took all its time is known for it half a minute later", async () => {
  let now = 0;
  const turns = openFairScheduler(2, () => now);
  giveBack(await turns.take("bomber"), 2000);
  now += 29_000;
  const honest = await turns.take("honest");
  const again = ask(turns, "bomber");
  await settled();
  expect(again.place).toBeUndefined();
  giveBack(honest, 5);
  await settled();
  expect(again.place).toBeDefined();
});

test("who waits is served by how little work the account had of late, then in order of asking", async () => {
  const turns = openFairScheduler(1);
  giveBack(await turns.take("busy"), 1500);
  giveBack(await turns.take("less busy"), 500);
  const holder = await turns.take("holder");
  const order: string[] = [];
  const asked = ["busy", "less busy", "fresh 1", "fresh 2"].map((account) =>
    turns.take(account).then((place) => {
      order.push(account);
      giveBack(place, 1);
    }),
  );
  giveBack(holder, 1);
  await Promise.all(asked);
  expect(order).toEqual(["fresh 1", "fresh 2", "less busy", "busy"]);
});

test("work of long ago counts no more", async () => {
  let now = 0;
  const turns = openFairScheduler(2, () => now);
  giveBack(await turns.take("once busy"), 5000);
  ask(turns, "other");
  const asked = ask(turns, "once busy");
  await settled();
  expect(asked.place).toBeUndefined();
  now += 120_000;
  giveBack(await turns.take("passer-by"));
  await settled();
  expect(asked.place).toBeDefined();
});

test("who leaves takes no place, and what was aborted before never asks", async () => {
  const turns = openFairScheduler(1);
  const holder = await turns.take("a");
  const leaver = new AbortController();
  const left = ask(turns, "b", leaver.signal);
  const stays = ask(turns, "c");
  leaver.abort(new Error("left"));
  await expect(left.taken).rejects.toThrow("left");
  await expect(turns.take("d", leaver.signal)).rejects.toThrow("left");
  giveBack(holder);
  giveBack(await stays.taken);
  expect(await turns.take("e")).toBeDefined();
});
