import { expect, onTestFinished, test } from "vitest";
import { type Dependency, watchDependencies } from "../dependencies/watch-dependencies.ts";
import { openApiMetrics } from "../metrics/open-metrics.ts";
import { startOperatorListener } from "./operator-listener.ts";

async function startListener(
  dependencies: readonly Dependency[],
  { alive = (): boolean => true, maxCheckMs = 200 } = {},
) {
  const metrics = openApiMetrics();
  const log: { level: string; fields: object }[] = [];
  const logTo = (level: string) => (fields: object) => void log.push({ level, fields });
  const watch = watchDependencies(
    { metrics, log: { info: logTo("info"), error: logTo("error") } as never },
    dependencies,
    { everyMs: 20, maxCheckMs },
  );
  const listener = await startOperatorListener({ metrics, dependencies: watch, alive }, { host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    watch.close();
    await listener.close();
  });
  const get = async (path: string) => {
    const response = await fetch(listener.url + path);
    return { status: response.status, text: await response.text() };
  };
  const ready = async () => {
    const { status, text } = await get("/readyz");
    return { code: status, ...(JSON.parse(text) as { status: string; failures?: { since: string }[] }) };
  };
  return { listener, get, ready, log };
}

function dependency(name: Dependency["name"], given: Partial<Dependency> & Pick<Dependency, "check">): Dependency {
  return { name, address: `${name}.internal:1`, isRequired: true, ...given };
}

test("/readyz names the failing server with its address and the time of the failure, and the log does so once", async () => {
  let problem: Error | undefined = new Error("connect ECONNREFUSED");
  const check = async () => {
    if (problem) throw problem;
  };
  const { ready, get, log } = await startListener([dependency("postgres", { check })]);
  const first = await ready();
  const since = first.failures?.[0]?.since ?? "";
  const failure = { dependency: "postgres", address: "postgres.internal:1", since, reason: "connect ECONNREFUSED" };
  expect(first).toEqual({
    code: 503,
    status: "unavailable",
    reason: `postgres at postgres.internal:1 fails since ${since}: connect ECONNREFUSED`,
    failures: [failure],
  });
  expect(Math.abs(Date.parse(since) - Date.now())).toBeLessThan(60_000);
  expect((await ready()).failures).toEqual([failure]);
  const series = /^video_to_json_dependency_(up|outages_total){dependency="postgres"} (.*)$/gm;
  const values = async () => [...(await get("/metrics")).text.matchAll(series)].map(([, name, value]) => [name, value]);
  expect(await values()).toEqual([
    ["up", "0"],
    ["outages_total", "1"],
  ]);
  problem = undefined;
  expect(await ready()).toEqual({ code: 200, status: "ok" });
  expect(await values()).toEqual([
    ["up", "1"],
    ["outages_total", "1"],
  ]);
  const { dependency: name, address } = failure;
  expect(log).toMatchObject([
    { level: "error", fields: { dependency: name, address, since } },
    { level: "info", fields: { dependency: name, address, since } },
  ]);
});

test("a server that the process can do without leaves it ready and degraded, also when it never answers", async () => {
  const { ready } = await startListener([
    dependency("postgres", { check: async () => {} }),
    dependency("redis", { isRequired: false, check: () => new Promise(() => {}) }),
  ]);
  const answer = await ready();
  expect(answer).toMatchObject({ code: 200, status: "degraded", failures: [{ dependency: "redis" }] });
});

test("a scrape does not wait for a server that is silent", async () => {
  const silent = dependency("postgres", { check: () => new Promise(() => {}) });
  const { get } = await startListener([silent], { maxCheckMs: 60_000 });
  const startedAt = performance.now();
  expect((await get("/metrics")).status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test("a process that drains fails /readyz and not /healthz, and one that is stuck fails /healthz", async () => {
  let isMoving = true;
  const { listener, get } = await startListener([], { alive: () => isMoving });
  expect((await get("/readyz")).status).toBe(200);
  listener.drain();
  expect([(await get("/readyz")).status, (await get("/healthz")).status, (await get("/x")).status]).toEqual([
    503, 200, 404,
  ]);
  isMoving = false;
  expect((await get("/healthz")).status).toBe(503);
});
