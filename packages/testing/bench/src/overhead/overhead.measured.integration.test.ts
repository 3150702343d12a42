import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, runsAllTests, testRedis } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { isMet } from "../report/figure.ts";
import { measureOverhead } from "./measure-overhead.ts";
import { figuresOf } from "./overhead.ts";

test.runIf(runsAllTests)("the benchmark measures jobs of the service beside those of a bare script", async () => {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "v2j-bench-"));
  onTestFinished(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const { url, prefix } = testRedis();
  const env = { DATABASE_URL: database.url, REDIS_URL: `${url}?prefix=${prefix}` };
  const levels = [
    { inFlight: 1, jobs: 2 },
    { inFlight: 3, jobs: 6 },
  ];
  const options = { dataDir, env, warmUpJobs: 1, restMs: 100, workers: 1, latencyMs: 200, levels, tell: () => {} };
  const result = await measureOverhead(options);
  expect(result.levels.map(({ inFlight, jobs }) => ({ inFlight, jobs }))).toEqual(levels);
  expect(result.clipBytes).toBeGreaterThan(900_000);
  for (const { bare, service } of result.levels) {
    for (const { p50, p99, jobsPerSecond } of [bare, service]) {
      expect(p50).toBeGreaterThan(200);
      expect(p99).toBeGreaterThanOrEqual(p50);
      expect(jobsPerSecond).toBeGreaterThan(0);
    }
    for (const part of ["api", "worker", "ffmpeg", "client", "emulator"] as const)
      expect(service.cpuSeconds[part], part).toBeGreaterThan(0);
    expect(bare.cpuSeconds.script).toBeGreaterThan(0);
  }
  const hundred = result.levels.map((level) => ({
    ...level,
    inFlight: 100,
    service: { ...level.bare, jobsPerSecond: 1e-6 },
  }));
  const throughput = figuresOf({ ...result, levels: hundred }).find(({ what }) => what === "throughput, 100 in flight");
  expect(throughput && isMet(throughput)).toBe(false);
});
