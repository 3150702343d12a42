import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { createApiKey } from "@video-to-json/contract";
import { openRateLimiter } from "@video-to-json/queue";
import { testRedis } from "@video-to-json/testing";
import express, { type Response as Answer } from "express";
import { expect, onTestFinished, test } from "vitest";
import { startTestApi } from "../api.harness.ts";
import { limitUnauthorised } from "./authenticate.ts";

async function openApi(unauthorisedPerMinute: number, trustProxies = 0) {
  const api = await startTestApi({ unauthorisedPerMinute }, 30, trustProxies);
  onTestFinished(() => api[Symbol.asyncDispose]());
  const get = (headers: Record<string, string>, path = "/v1/me") => fetch(api.url + path, { headers });
  return { ...api, get };
}

const unknownKey = () => ({ authorization: `Bearer ${createApiKey("v2j").key}` });

test("an address is limited in attempts without a live key, whatever their fault and their route", async () => {
  const { get } = await openApi(4);
  const attempts: [Record<string, string>, string][] = [
    [{}, "/v1/me"],
    [{ authorization: "Bearer nonsense" }, "/v1/nowhere"],
    [unknownKey(), "/v1/openapi.json"],
    [unknownKey(), "/v1/me"],
    [unknownKey(), "/v1/me"],
    [{}, "/v1/me"],
  ];
  const answers: Response[] = [];
  for (const [headers, path] of attempts) answers.push(await get(headers, path));
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 429, 429]);
  const left = answers.map(({ headers }) => /^"unauthorised";r=(\d);t=\d+$/.exec(headers.get("ratelimit") ?? "")?.[1]);
  expect(left).toEqual(["3", "2", "1", "0", "0", "0"]);
  const [last] = answers.slice(-1);
  expect(last?.headers.get("ratelimit-policy")).toBe('"unauthorised";q=4;w=60');
  const seconds = /;t=(\d+)$/.exec(last?.headers.get("ratelimit") ?? "")?.[1];
  expect(Number(last?.headers.get("retry-after"))).toBeGreaterThanOrEqual(Number(seconds));
  expect(await last?.json()).toMatchObject({ error: { code: "rate_limited" } });
});

test("failed attempts never lock out a live key of the same address", async () => {
  const { get, newCaller } = await openApi(2);
  const { headers } = await newCaller("neighbour@example.com");
  const guesses = Array.from({ length: 60 }, () => get(unknownKey()));
  const live = Array.from({ length: 20 }, () => get(headers));
  const refused = (await Promise.all(guesses)).map(({ status }) => status);
  expect(refused.filter((status) => status === 401)).toHaveLength(2);
  expect(refused.filter((status) => status === 429)).toHaveLength(58);
  expect((await Promise.all(live)).every(({ status }) => status === 200)).toBe(true);
  expect((await get(headers)).headers.get("ratelimit")).toMatch(/^"read";r=579;/);
});

test("behind a trusted proxy each address is counted by itself, and an IPv6 /64 as one", async () => {
  const { get } = await openApi(1, 1);
  const from = async (address: string) => (await get({ "x-forwarded-for": address })).status;
  expect([await from("203.0.113.1"), await from("203.0.113.1"), await from("203.0.113.2")]).toEqual([401, 429, 401]);
  expect([await from("2001:db8::1"), await from("2001:db8::2"), await from("2001:db8:0:1::1")]).toEqual([
    401, 429, 401,
  ]);
});

test("without a trusted proxy, X-Forwarded-For does not change the address that is counted", async () => {
  const { get } = await openApi(1);
  expect((await get({ "x-forwarded-for": "203.0.113.1" })).status).toBe(401);
  expect((await get({ "x-forwarded-for": "203.0.113.2" })).status).toBe(429);
});

test("the keys of an address over its limit are looked up one at a time, those of others at once", async () => {
  const { url, prefix } = testRedis();
  const limiter = openRateLimiter({ redisUrl: url, prefix, onError: () => {}, maxAnswerMs: 60_000 });
  onTestFinished(() => limiter.close());
  const attempts = limitUnauthorised({ limiter, limits: { unauthorisedPerMinute: 1 } });
  const answer = (): Answer =>
    Object.setPrototypeOf(new ServerResponse(new IncomingMessage(new Socket())), express.response);
  await attempts.count("guesser", answer());
  await expect(attempts.count("guesser", answer())).rejects.toMatchObject({ code: "rate_limited" });

  const started: string[] = [];
  const first = Promise.withResolvers<undefined>();
  const look = (name: string, end: Promise<undefined>) => () => {
    started.push(name);
    return end;
  };
  const failing = attempts.lookUp("guesser", look("first", first.promise));
  const next = attempts.lookUp("guesser", look("second", Promise.resolve(undefined)));
  await attempts.lookUp("another", look("another", Promise.resolve(undefined)));
  expect(started.toSorted()).toEqual(["another", "first"]);
  first.reject(new Error("the database went away"));
  await expect(failing).rejects.toThrow("went away");
  await next;
  expect(started).toContain("second");
});
