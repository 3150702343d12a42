import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Service, startService } from "@video-to-json/stack/service";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openMachines, sicknesses } from "../surroundings/machines.ts";
import { type Link, openNetwork } from "../surroundings/network.ts";

const isRoot = process.getuid?.() === 0;
// More than the places of both workers, so that the calls that a sick one keeps are few of all.
const callers = 8;
const places = 3;
/** For how long the worker is sick: more than two locks of a job, in milliseconds. */
const sickMs = 15_000;

const opened = new AsyncDisposableStack();
const dataDir = mkdtempSync(join(tmpdir(), "v2j-sick-"));
opened.defer(() => rmSync(dataDir, { recursive: true, force: true }));
let service: Service;
let machines: ReturnType<typeof openMachines>;
let links: readonly Link[];
/** The p95 of calls while both workers are healthy, in milliseconds. */
let healthyMs: number;

beforeAll(async () => {
  const network = openNetwork();
  opened.defer(() => network.close());
  ({ links } = network);
  const storage = join(dataDir, "storage");
  mkdirSync(storage, { mode: 0o700 });
  machines = openMachines(dataDir, "", isRoot ? { storage } : undefined);
  opened.defer(() => machines.close());
  const env = {
    ...{ WORKER_CONCURRENCY: String(places), MAX_JOBS_PER_ACCOUNT: String(callers) },
    ...{ EXTRACTIONS_PER_MINUTE: "1000000", FREE_SECONDS: "1000000" },
    ...(isRoot && { STORAGE_URL: `file://${storage}` }),
  };
  const settingsOf: Parameters<typeof startService>[0] = {
    settingsOf: async (part, urls) => ({
      ...(await network.settingsOf(part, urls)),
      ...(await machines.settingsOf(part)),
    }),
  };
  service = opened.use(await startService({ workers: 2, env, ...settingsOf }));
  await callFor(sickMs / 2);
  healthyMs = p95(await callFor(sickMs));
});
afterAll(() => opened.disposeAsync());

/** All callers call all the time. Returns how long each call took, in milliseconds; a call that fails throws. */
async function callFor(ms: number): Promise<number[]> {
  const until = performance.now() + ms;
  const took: number[] = [];
  const call = async () => {
    while (performance.now() < until) {
      const from = performance.now();
      const { status, text } = await service.extract();
      expect([status, text]).toEqual([200, expect.anything()]);
      took.push(performance.now() - from);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: callers }, call));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
  return took;
}

const p95 = (all: number[]) => all.toSorted((a, b) => a - b)[Math.ceil(0.95 * all.length) - 1] ?? 0;
const ready = async () => (await fetch(String(service.processOf("worker-1").readyUrl))).status;

const chosen = sicknesses.filter(({ needsDisk }) => isRoot || !needsDisk);
test.each(chosen)(
  "no call fails while one of two workers is sick, and it works again afterwards: $name",
  async ({ begin }) => {
    const [sick] = service.parts.filter(({ app }) => app === "worker");
    if (!sick) throw new Error("There is no worker.");
    const provider = links.find(({ part, to }) => part === sick.name && to === "provider");
    const end = await begin({
      directory: machines.directoryOf(sick.name),
      part: sick,
      provider,
      clocks: machines.clocks,
    });
    const took = await callFor(sickMs).finally(end);
    const hasDied = await Promise.race([sick.ended.then(() => true), sleep(10, false)]);
    if (hasDied) await sick.start();
    await expect.poll(() => ready().catch(() => 0), { timeout: 60_000 }).toBe(200);
    expect(took.length).toBeGreaterThan(callers);
    expect(p95(took) / healthyMs).toBeLessThan(3);
  },
);
