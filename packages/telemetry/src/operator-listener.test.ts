import { expect, test } from "vitest";
import { openMetrics } from "./metrics.ts";
import { startOperatorListener } from "./operator-listener.ts";

test("readiness says why it is missing, and is gone while draining although the process lives", async () => {
  const metrics = openMetrics();
  let problem: Error | undefined = new Error("no database");
  const listener = await startOperatorListener({
    host: "127.0.0.1",
    port: 0,
    registry: metrics.registry,
    ready: () => (problem ? Promise.reject(problem) : Promise.resolve()),
  });
  try {
    const status = async (path: string) => (await fetch(listener.url + path)).status;
    const waiting = await fetch(`${listener.url}/readyz`);
    expect([waiting.status, await waiting.json()]).toEqual([503, { status: "unavailable", reason: "no database" }]);
    problem = undefined;
    expect(await status("/readyz")).toBe(200);
    listener.drain();
    expect([await status("/readyz"), await status("/healthz"), await status("/x")]).toEqual([503, 200, 404]);
  } finally {
    await listener.close();
  }
});

test("a process that says it is stuck is not alive", async () => {
  let isMoving = true;
  const listener = await startOperatorListener({
    host: "127.0.0.1",
    port: 0,
    registry: openMetrics().registry,
    ready: () => Promise.resolve(),
    alive: () => isMoving,
  });
  try {
    const status = async () => (await fetch(`${listener.url}/healthz`)).status;
    expect(await status()).toBe(200);
    isMoving = false;
    expect(await status()).toBe(503);
  } finally {
    await listener.close();
  }
});

test("metrics are measured when they are read", async () => {
  const metrics = openMetrics();
  let waits = 1;
  metrics.gauge("v2j_open_waits", "Requests that wait.", () => waits);
  waits = 7;
  expect(await metrics.registry.metrics()).toContain("v2j_open_waits 7");
});
