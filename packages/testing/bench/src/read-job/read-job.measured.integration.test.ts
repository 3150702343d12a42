import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, runsAllTests, testRedis } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { readJob } from "./read-job.ts";

test.runIf(runsAllTests)("the benchmark measures reading a job from a full table and from an empty one", async () => {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "v2j-bench-"));
  onTestFinished(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const { url, prefix } = testRedis();
  const env = { DATABASE_URL: database.url, REDIS_URL: `${url}?prefix=${prefix}` };
  const result = await readJob({ dataDir, env, jobs: 10_000, requests: 100, tell: () => {} });
  expect(result).toMatchObject({ jobs: 10_100, ofAccount: 1100 });
  for (const { p50, p99 } of [...Object.values(result.full), ...Object.values(result.empty)]) {
    expect(p50).toBeGreaterThan(0);
    expect(p99).toBeGreaterThanOrEqual(p50);
  }
});
