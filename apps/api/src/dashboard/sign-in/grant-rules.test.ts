import { expect, test } from "vitest";
import { grantCaps, mailboxOf } from "./open-sign-in.ts";

test.each([
  ["Ann@Example.com", "ann@example.com"],
  ["ann+one+two@example.com", "ann@example.com"],
  ["a.n.n@example.com", "a.n.n@example.com"],
  ["A.n.n+x@gmail.com", "ann@gmail.com"],
  ["ann@googlemail.com", "ann@gmail.com"],
  ["ann@mail.example.com", "ann@mail.example.com"],
])("%s reaches the mailbox %s", (email, address) => {
  expect(mailboxOf(email).address).toBe(address);
});

test.each(["a@mailinator.com", "a@MAILINATOR.com", "a@any.mailinator.com"])("%s is disposable", (email) => {
  expect(mailboxOf(email).isDisposable).toBe(true);
});

test.each(["a@gmail.com", "a@example.com", "a@example.co.uk"])("%s is not disposable", (email) => {
  expect(mailboxOf(email).isDisposable).toBe(false);
});

test.each([
  ["a@one.example.co.uk", ["example.co.uk"]],
  ["a@two.example.com", ["example.com"]],
  ["a@gmail.com", []],
  ["a@googlemail.com", []],
])("%s counts for the domains %j", (email, domains) => {
  const caps = grantCaps(mailboxOf(email), "203.0.113.0/24", { service: 3, domain: 1, network: 2 });
  expect(caps.filter(({ kind }) => kind === "domain").map(({ owner }) => owner)).toEqual(domains);
  expect(caps.slice(-2)).toEqual([
    { kind: "network", owner: "203.0.113.0/24", limit: 2 },
    { kind: "service", owner: "all", limit: 3 },
  ]);
});
