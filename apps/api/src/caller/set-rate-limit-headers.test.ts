import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import express, { type Response } from "express";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { setRateLimitHeaders } from "./limit-rate.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => vi.useRealTimers());

const answer = { allowed: true, limit: 60, remaining: 59, resetSeconds: 42, windowSeconds: 60 };

/** Returns the headers of a response whose head is sent `ms` milliseconds after its request was counted. */
function headersAfter(ms: number, given = answer, headers: Record<string, string> = {}): unknown[] {
  const response: Response = Object.setPrototypeOf(
    new ServerResponse(new IncomingMessage(new Socket())),
    express.response,
  );
  setRateLimitHeaders(response, "extract", given);
  vi.advanceTimersByTime(ms);
  response.set(headers);
  response.end();
  return ["RateLimit-Policy", "RateLimit", "Retry-After"].map((name) => response.get(name));
}

test("the headers name the policy, the requests left and the seconds to the end of the window", () => {
  expect(headersAfter(0)).toEqual(['"extract";q=60;w=60', '"extract";r=59;t=42', undefined]);
});

test("the seconds are counted at the moment the response is sent", () => {
  expect(headersAfter(30_000)[1]).toBe('"extract";r=59;t=12');
  expect(headersAfter(41_001)[1]).toBe('"extract";r=59;t=1');
});

test("a response after the end of the window describes the next window", () => {
  expect(headersAfter(42_000)).toEqual(['"extract";q=60;w=60', '"extract";r=60;t=60', undefined]);
});

test("Retry-After never names an earlier time than the end of the window in the same response", () => {
  expect(headersAfter(0, answer, { "Retry-After": "5" }).slice(1)).toEqual(['"extract";r=59', "5"]);
  expect(headersAfter(0, answer, { "Retry-After": "42" }).slice(1)).toEqual(['"extract";r=59;t=42', "42"]);
  const spent = { ...answer, remaining: 0 };
  expect(headersAfter(0, spent, { "Retry-After": "5" }).slice(1)).toEqual(['"extract";r=0;t=42', "42"]);
  expect(headersAfter(0, spent, { "Retry-After": "90" }).slice(1)).toEqual(['"extract";r=0;t=42', "90"]);
});
