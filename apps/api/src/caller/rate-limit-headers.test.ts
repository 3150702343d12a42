import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import express, { type Response } from "express";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { tellRateLimit } from "./rate-limit-headers.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => vi.useRealTimers());

const answer = { allowed: true, limit: 60, remaining: 59, resetSeconds: 42, windowSeconds: 60 };

/** The fields of a response whose head goes out so many milliseconds after its request was counted. */
function toldAfter(ms: number, given = answer, headers: Record<string, string> = {}): unknown[] {
  const response: Response = Object.setPrototypeOf(
    new ServerResponse(new IncomingMessage(new Socket())),
    express.response,
  );
  tellRateLimit(response, "extract", given);
  vi.advanceTimersByTime(ms);
  response.set(headers);
  response.end();
  return ["RateLimit-Policy", "RateLimit", "Retry-After"].map((name) => response.get(name));
}

test("policy, what is left, and the time until the quota is whole are told as structured fields", () => {
  expect(toldAfter(0)).toEqual(['"extract";q=60;w=60', '"extract";r=59;t=42', undefined]);
});

test("the time is that of the moment in which the answer goes out", () => {
  expect(toldAfter(30_000)[1]).toBe('"extract";r=59;t=12');
  expect(toldAfter(41_001)[1]).toBe('"extract";r=59;t=1');
});

test("an answer that goes out after the window has ended tells of the next one", () => {
  expect(toldAfter(42_000)).toEqual(['"extract";q=60;w=60', '"extract";r=60;t=60', undefined]);
});

test("a Retry-After never names an earlier time than the end of the window that stands beside it", () => {
  expect(toldAfter(0, answer, { "Retry-After": "5" }).slice(1)).toEqual(['"extract";r=59', "5"]);
  expect(toldAfter(0, answer, { "Retry-After": "42" }).slice(1)).toEqual(['"extract";r=59;t=42', "42"]);
  const spent = { ...answer, remaining: 0 };
  expect(toldAfter(0, spent, { "Retry-After": "5" }).slice(1)).toEqual(['"extract";r=0;t=42', "42"]);
  expect(toldAfter(0, spent, { "Retry-After": "90" }).slice(1)).toEqual(['"extract";r=0;t=42', "90"]);
});
