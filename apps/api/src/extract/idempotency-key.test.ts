import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import express, { type Request } from "express";
import { expect, test } from "vitest";
import { idempotencyKeyOf } from "./request-options.ts";

function keyOf(...sent: string[]): string | undefined {
  const message = new IncomingMessage(new Socket());
  message.headersDistinct = sent.length > 0 ? { "idempotency-key": sent } : {};
  return idempotencyKeyOf(Object.setPrototypeOf(message, express.request) as Request);
}

test.each(["k", " ~", '"8e03978e-40d5-43dd-bc93-6894a57f9324"', "x".repeat(255)])(
  "%s is a valid key and is not changed",
  (key) => {
    expect(keyOf(key)).toBe(key);
  },
);

test("the key is optional", () => {
  expect(keyOf()).toBeUndefined();
});

test.each([[""], ["x".repeat(256)], ["tab\t"], ["\u007f"], ["é"], ["a", "a"], ["a", "b"]])(
  "%j is an invalid request",
  (...sent) => {
    expect(() => keyOf(...sent)).toThrow(expect.objectContaining({ code: "invalid_request" }));
  },
);
