import { expect, test } from "vitest";
import { createAccountTurns } from "./account-turns.ts";

/** Work that ends when its test ends it. */
function createWork() {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () => {
    started.push(name);
    return new Promise<string>((resolve) => ends.push(() => resolve(name)));
  };
  return { started, ends, work };
}

test("an account runs as much at once as it may, in order, and another account does not wait for it", async () => {
  const { started, ends, work } = createWork();
  const turns = createAccountTurns(2);
  const all = ["a1", "a2", "a3", "a4"].map((name) => turns.take("a", work(name)));
  const other = turns.take("b", work("b1"));
  expect(started).toEqual(["a1", "a2", "b1"]);
  for (let next = 0; next < 5; next++) {
    await expect.poll(() => ends.length).toBeGreaterThan(next);
    ends[next]?.();
  }
  expect(await Promise.all([...all, other])).toEqual(["a1", "a2", "a3", "a4", "b1"]);
  expect(started).toEqual(["a1", "a2", "b1", "a3", "a4"]);
});

test("work that fails gives its turn to the next", async () => {
  const turns = createAccountTurns(1);
  const failing = turns.take("a", () => Promise.reject(new Error("broken")));
  const next = turns.take("a", () => Promise.resolve("done"));
  await expect(failing).rejects.toThrow("broken");
  expect(await next).toBe("done");
});
