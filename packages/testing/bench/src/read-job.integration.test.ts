import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, runsAllTests, testRedis } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { readJob } from "./read-job.ts";
import { readJobTable } from "./read-job-table.ts";

test.runIf(runsAllTests)("the benchmark measures reading a job from a full table and from an empty one", async () => {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "v2j-bench-"));
  onTestFinished(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const { url, prefix } = testRedis();
  const env = { DATABASE_URL: database.url, REDIS_URL: url, REDIS_PREFIX: prefix };
  const result = await readJob({ dataDir, env, jobs: 10_000, requests: 100, tell: () => {} });
  expect(result).toMatchObject({ jobs: 10_100, ofAccount: 1100, good: result.full["read 1"].p50 <= 5 });
  for (const { p50, p99 } of [...Object.values(result.full), ...Object.values(result.empty)]) {
    expect(p50).toBeGreaterThan(0);
    expect(p99).toBeGreaterThanOrEqual(p50);
  }
  expect(readJobTable({ ...result, good: false })).toMatch(/10,100 jobs[\s\S]*8 at a time[\s\S]*NOT read within 5 ms/);
});
