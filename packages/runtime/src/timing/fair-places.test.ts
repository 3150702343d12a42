import { expect, test } from "vitest";
import { createFairLine, openFairPlaces, openKindPlaces } from "./fair-places.ts";

const all = (line: { next(): string | undefined }) => {
  const taken: (string | undefined)[] = [];
  for (let next = line.next(); next !== undefined; next = line.next()) taken.push(next);
  return taken;
};

test("the account with the fewest places is next, then the one that waited longest for a place, oldest item first", () => {
  const line = createFairLine<string>();
  for (const item of ["a1", "a2", "a3", "b1", "b2", "c1"]) line.add(item.charAt(0), item);
  expect(line.size()).toBe(6);
  expect(all(line)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  for (const item of ["a4", "b3", "c2"]) line.add(item.charAt(0), item);
  line.end("a");
  line.end("a");
  line.end("a");
  expect(all(line)).toEqual(["a4", "c2", "b3"]);
});

test("an account that comes back again and again does not overtake one that waits", () => {
  const line = createFairLine<string>();
  line.add("a", "a1");
  expect(line.next()).toBe("a1");
  line.add("b", "b1");
  line.end("a");
  line.add("a", "a2");
  expect(all(line)).toEqual(["b1", "a2"]);
});

test("an item that left the line is not next", () => {
  const line = createFairLine<string>();
  line.add("a", "a1");
  line.add("a", "a2");
  expect([line.remove("a", "a1"), line.remove("a", "a1"), line.remove("b", "b1")]).toEqual([true, false, false]);
  expect(all(line)).toEqual(["a2"]);
});

const never = new AbortController().signal;

test("no more work runs than there are places, and the places go to the accounts in turn", async () => {
  const places = openFairPlaces(2);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) =>
    places.run(name.charAt(0), never, async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  const all = ["a1", "a2", "a3", "b1"].map(work);
  for (let ended = 0; ended < 4; ended++) {
    await expect.poll(() => ends.length).toBeGreaterThan(ended);
    expect(started.length - ended).toBeLessThanOrEqual(2);
    ends[ended]?.();
  }
  expect(await Promise.all(all)).toEqual(["a1", "a2", "a3", "b1"]);
  expect(started).toEqual(["a1", "a2", "b1", "a3"]);
});

test("work that fails returns its place, and work whose signal aborts leaves the line", async () => {
  const places = openFairPlaces(1);
  const failing = places.run("a", never, () => Promise.reject(new Error("no")));
  const leaving = new AbortController();
  const left = places.run("a", leaving.signal, async () => "ran");
  leaving.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  await expect(failing).rejects.toThrow("no");
  await expect(places.run("a", leaving.signal, async () => "ran")).rejects.toThrow("left");
  expect(await places.run("a", never, async () => "ran")).toBe("ran");
});

/** Takes places and records in which order they start. */
function openPlaces(limits: { ofAccount: number; inAll: number }) {
  const places = openFairPlaces(limits.inAll, limits);
  const started: string[] = [];
  const running: Disposable[] = [];
  const take = (name: string) =>
    void places.take(name.slice(0, 1)).then((place) => {
      started.push(name);
      running.push(place);
    });
  const endFirst = async () => {
    running.shift()?.[Symbol.dispose]();
    await settled();
  };
  return { take, started, endFirst };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("an account gets its limit of places, in order, and another account does not wait for it", async () => {
  const { take, started, endFirst } = openPlaces({ ofAccount: 2, inAll: 10 });
  for (const name of ["a1", "a2", "a3", "a4", "b1"]) take(name);
  await settled();
  expect(started).toEqual(["a1", "a2", "b1"]);
  await endFirst();
  expect(started).toEqual(["a1", "a2", "b1", "a3"]);
  await endFirst();
  expect(started).toEqual(["a1", "a2", "b1", "a3", "a4"]);
});

test("all accounts together get the total limit of places, the account with the fewest first", async () => {
  const { take, started, endFirst } = openPlaces({ ofAccount: 2, inAll: 3 });
  for (const name of ["a1", "a2", "a3", "b1", "c1", "b2"]) take(name);
  await settled();
  expect(started).toEqual(["a1", "a2", "b1"]);
  await endFirst();
  expect(started.slice(3)).toEqual(["c1"]);
  for (let ended = 0; ended < 3; ended++) await endFirst();
  expect(started.slice(4)).toEqual(["a3", "b2"]);
});

test("however many accounts that do not pay wait for places, one that pays gets every second one", async () => {
  const places = openKindPlaces(1);
  const order: string[] = [];
  const run = (accountId: string, pays = false) =>
    places.run({ accountId, pays }, never, async () => void order.push(accountId));
  const all = ["f1", "f2", "f3", "f4", "f5"].map((id) => run(id));
  all.push(run("p", true), run("p", true));
  await Promise.all(all);
  expect(order).toEqual(["f1", "f2", "p", "f3", "p", "f4", "f5"]);
});

test("work that leaves the line keeps no place, whichever of its kind came first", async () => {
  const places = openKindPlaces(1);
  const leaving = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = places.run({ accountId: "a", pays: false }, never, () => promise);
  const gone = places.run({ accountId: "b", pays: false }, leaving.signal, async () => "ran");
  const later = places.run({ accountId: "c", pays: false }, never, async () => "ran");
  leaving.abort(new Error("left"));
  await expect(gone).rejects.toThrow("left");
  resolve();
  await first;
  expect(await later).toBe("ran");
  expect(await places.run({ accountId: "d", pays: true }, never, async () => "ran")).toBe("ran");
});

test("work that left the line does not take the turn of the other kind", async () => {
  const places = openKindPlaces(1);
  const leaving = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = places.run({ accountId: "a", pays: false }, never, () => promise);
  const gone = places.run({ accountId: "b", pays: false }, leaving.signal, async () => "ran");
  const paying = places.run({ accountId: "p", pays: true }, never, async () => "ran");
  leaving.abort(new Error("left"));
  await expect(gone).rejects.toThrow("left");
  resolve();
  await first;
  expect(await paying).toBe("ran");
});

test("a place that is ended twice is free once", async () => {
  const places = openFairPlaces(1);
  const first = await places.take("a");
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  await places.take("a");
  let isTaken = false;
  void places.take("b").then(() => {
    isTaken = true;
  });
  await new Promise(setImmediate);
  expect(isTaken).toBe(false);
});
