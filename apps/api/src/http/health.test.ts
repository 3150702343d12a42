import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { health } from "./health.ts";

async function serve(shutdown: { isServing(): boolean }, isReady: () => Promise<boolean>) {
  const server = express().use(health({ shutdown, isReady })).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, await response.json()];
  };
}

const well = [200, { status: "ok" }];
const unavailable = [503, { status: "unavailable" }];

test("without its servers the API is alive and not ready, and does not say why", async () => {
  const get = await serve({ isServing: () => true }, () => Promise.reject(new Error("postgres://secret")));
  expect([await get("/healthz"), await get("/readyz")]).toEqual([well, unavailable]);
});

test("an API that shuts down is alive and not ready", async () => {
  let isServing = true;
  const get = await serve({ isServing: () => isServing }, () => Promise.resolve(true));
  expect(await get("/readyz")).toEqual(well);
  isServing = false;
  expect([await get("/healthz"), await get("/readyz")]).toEqual([well, unavailable]);
});

test("a hundred requests cost the database one query a second", async () => {
  let checks = 0;
  const get = await serve({ isServing: () => true }, async () => ++checks > 0);
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 100 }, () => get("/readyz")));
  expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200]));
  expect(checks).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 1000);
});
