import { expect, test } from "vitest";
import { createApiKey, hashApiKey, isApiKey } from "./api-key.ts";

test("a new key has the documented form and is recognised with its own prefix only", () => {
  const created = createApiKey("v2j");
  expect(created.key).toMatch(/^v2j_live_[0-9A-Za-z]{49}$/);
  expect(created.key.startsWith(created.display)).toBe(true);
  expect(created.sha256).toEqual(hashApiKey(created.key));
  expect(isApiKey(created.key, "v2j")).toBe(true);
  expect(isApiKey(created.key, "abc")).toBe(false);
});

test("a key with one mistyped character is refused without a look-up", () => {
  const { key } = createApiKey("v2j");
  const start = "v2j_live_".length;
  for (let at = start; at < key.length; at++) {
    const mistyped = key.slice(0, at) + (key[at] === "a" ? "b" : "a") + key.slice(at + 1);
    expect(isApiKey(mistyped, "v2j")).toBe(false);
  }
});

test("no two keys are equal", () => {
  const keys = Array.from({ length: 1000 }, () => createApiKey("v2j").key);
  expect(new Set(keys).size).toBe(1000);
});
