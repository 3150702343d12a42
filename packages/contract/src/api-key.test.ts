import { expect, test } from "vitest";
import { createApiKey, hashApiKey, isApiKey } from "./api-key.ts";

test("a fresh key has the documented form, and is recognised under its own prefix only", () => {
  const made = createApiKey("v2j");
  expect(made.key).toMatch(/^v2j_live_[0-9A-Za-z]{49}$/);
  expect(made.key.startsWith(made.display)).toBe(true);
  expect(made.sha256).toEqual(hashApiKey(made.key));
  expect(isApiKey(made.key, "v2j")).toBe(true);
  expect(isApiKey(made.key, "abc")).toBe(false);
});

test("a key with any one character mistyped is refused without a look-up", () => {
  const { key } = createApiKey("v2j");
  const start = "v2j_live_".length;
  for (let at = start; at < key.length; at++) {
    const mistyped = key.slice(0, at) + (key[at] === "a" ? "b" : "a") + key.slice(at + 1);
    expect(isApiKey(mistyped, "v2j")).toBe(false);
  }
});

test("no two keys are the same", () => {
  const keys = Array.from({ length: 1000 }, () => createApiKey("v2j").key);
  expect(new Set(keys).size).toBe(1000);
});
