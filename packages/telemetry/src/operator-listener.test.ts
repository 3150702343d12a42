import { expect, test } from "vitest";
import { openMetrics } from "./metrics.ts";
import { startOperatorListener } from "./operator-listener.ts";

test("/readyz says why the process is not ready, and fails while the process drains", async () => {
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

test("a process that is stuck fails its liveness check", async () => {
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

test("gauges are measured for each scrape", async () => {
  const metrics = openMetrics();
  let waits = 1;
  metrics.gauge("v2j_open_waits", "Waiting requests.", () => waits);
  waits = 7;
  expect(await metrics.registry.metrics()).toContain("v2j_open_waits 7");
});
