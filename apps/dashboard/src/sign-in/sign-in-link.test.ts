import { expect, test } from "vitest";
import { pathAfterSignIn, readSignInLink } from "./sign-in-link.ts";

test("a link carries e-mail, code and the browser that asked behind its #", () => {
  expect(readSignInLink("#email=ann%2Bv%40example.com&code=BCDF-GHJK&link=a.b")).toEqual({
    email: "ann+v@example.com",
    code: "BCDF-GHJK",
    link: "a.b",
  });
});

test.each(["", "#", "#email=a%40b.c", "#code=1"])("the fragment %j does not sign in", (fragment) => {
  expect(readSignInLink(fragment)).toBeUndefined();
});

test.each([
  ["/jobs?status=failed", "/jobs?status=failed"],
  ["https://evil.example", "/"],
  ["//evil.example", "/"],
  ["/\\evil.example", "/"],
  [undefined, "/"],
])("after the sign-in, %j leads to %j", (next, path) => {
  expect(pathAfterSignIn(next)).toBe(path);
});
