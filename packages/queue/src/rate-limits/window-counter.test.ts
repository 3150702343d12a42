import { expect, test } from "vitest";
import { createWindowCounter } from "./rate-limiter.ts";

function counterAt(maxKeys = 10) {
  let time = 0;
  const counter = createWindowCounter({ windowMs: 60_000, maxKeys }, () => time);
  return {
    add: counter.add,
    advance: (ms: number) => {
      time += ms;
    },
  };
}

test("each key has its own count, in a window that starts with its first event", () => {
  const { add, advance } = counterAt();
  expect(add("a")).toEqual({ count: 1, msLeft: 60_000 });
  advance(20_000);
  expect(add("b")).toEqual({ count: 1, msLeft: 60_000 });
  expect(add("a")).toEqual({ count: 2, msLeft: 40_000 });
});

test("the count starts again when the window has ended", () => {
  const { add, advance } = counterAt();
  add("a");
  advance(59_999);
  expect(add("a")).toEqual({ count: 2, msLeft: 1 });
  advance(1);
  expect(add("a")).toEqual({ count: 1, msLeft: 60_000 });
});

test("one key too many evicts only the oldest window", () => {
  const { add, advance } = counterAt(2);
  add("a");
  add("b");
  advance(60_000);
  add("a");
  add("b");
  add("c");
  expect(add("b").count).toBe(2);
  expect(add("c").count).toBe(2);
  expect(add("a").count).toBe(1);
});
