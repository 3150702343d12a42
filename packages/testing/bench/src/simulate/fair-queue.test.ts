import { expect, test } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

function queueOf(places: number) {
  const queue = createFairQueue<string>({ places });
  let now = 0;
  return {
    add: (...jobs: string[]) => {
      for (const job of jobs) queue.add(job.charAt(0), job);
    },
    start: () => queue.start(++now),
    end: (...accounts: string[]) => {
      for (const account of accounts) queue.end(account);
    },
    waiting: queue.waiting,
  };
}

test("accounts take turns, also when one came first with many jobs", () => {
  const queue = queueOf(100);
  queue.add("a1", "a2", "a3", "b1", "c1", "b2");
  const order = [];
  for (let job = queue.start(); job; job = queue.start()) order.push(job);
  expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("among accounts with as many jobs running, the one that started a job longest ago is next", () => {
  const queue = queueOf(100);
  queue.add("a1", "b1");
  expect([queue.start(), queue.start()]).toEqual(["a1", "b1"]);
  queue.end("b", "a");
  queue.add("b2", "a2", "c1");
  expect([queue.start(), queue.start(), queue.start()]).toEqual(["c1", "a2", "b2"]);
});

test("while others wait, an account holds its share of the places at most", () => {
  const queue = queueOf(4);
  queue.add("a1", "a2", "a3", "a4", "a5");
  expect([queue.start(), queue.start(), queue.start()]).toEqual(["a1", "a2", "a3"]);
  queue.add("b1", "b2", "b3");
  expect([queue.start(), queue.start()]).toEqual(["b1", "b2"]);
  // Both accounts wait and have two or more places.
  expect(queue.start()).toBeUndefined();
  queue.end("a", "a");
  expect(queue.start()).toBe("a4");
  expect(queue.start()).toBeUndefined();
  expect(queue.waiting()).toBe(2);
});

test("while an account without a running job waits, only such accounts start a job", () => {
  const queue = queueOf(10);
  queue.add("a1", "a2");
  expect(queue.start()).toBe("a1");
  queue.add("b1");
  expect([queue.start(), queue.start()]).toEqual(["b1", "a2"]);
});
