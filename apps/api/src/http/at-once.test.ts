import { expect, test } from "vitest";
import { openAtOnce } from "./at-once.ts";

test("an account has the most at once, another account has its own, and one that ends makes room", () => {
  const downloads = openAtOnce(2, "downloads");
  const first = downloads.begin("a");
  downloads.begin("a");
  expect(() => downloads.begin("a")).toThrow(expect.objectContaining({ code: "rate_limited", retryAfterSeconds: 5 }));
  downloads.begin("b");
  first[Symbol.dispose]();
  downloads.begin("a");
  expect(() => downloads.begin("a")).toThrow("2 downloads");
});
