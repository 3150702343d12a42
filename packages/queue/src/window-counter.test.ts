import { expect, test } from "vitest";
import { openWindowCounter } from "./window-counter.ts";

function counterAt(mostKeys = 10) {
  let time = 0;
  const counter = openWindowCounter({ windowMs: 60_000, mostKeys }, () => time);
  return {
    add: counter.add,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

test("each key is counted by itself, in a window that begins with its first", () => {
  const { add, pass } = counterAt();
  expect(add("a")).toEqual({ count: 1, msLeft: 60_000 });
  pass(20_000);
  expect(add("b")).toEqual({ count: 1, msLeft: 60_000 });
  expect(add("a")).toEqual({ count: 2, msLeft: 40_000 });
});

test("a window that has ended counts from one again", () => {
  const { add, pass } = counterAt();
  add("a");
  pass(59_999);
  expect(add("a")).toEqual({ count: 2, msLeft: 1 });
  pass(1);
  expect(add("a")).toEqual({ count: 1, msLeft: 60_000 });
});

test("one key too many makes it forget the oldest window, and only that", () => {
  const { add, pass } = counterAt(2);
  add("a");
  add("b");
  pass(60_000);
  add("a");
  add("b");
  add("c");
  expect(add("b").count).toBe(2);
  expect(add("c").count).toBe(2);
  expect(add("a").count).toBe(1);
});
