import { expect, test } from "vitest";
import { openFairPlaces } from "./fair-places.ts";

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
