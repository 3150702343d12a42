import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, runsAllTests, startEmulator, testRedis } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { type Row, summarize } from "../report/summarize.ts";
import { shareOf } from "../score/score.ts";
import { columns } from "./columns.ts";
import { type BenchmarkOptions, runBenchmark } from "./run-benchmark.ts";
import { tinyCase } from "./tiny-case.fixture.ts";

const unlimited = { requests: undefined, tokens: undefined, dollars: undefined };

async function createOptions(): Promise<BenchmarkOptions> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "quality-"));
  onTestFinished(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const { url, prefix } = testRedis();
  return {
    ...{ cases: [tinyCase(1), tinyCase(2)], modes: ["honest", "edges"], columns: columns.slice(0, 1) },
    ...{ provider: undefined, budget: unlimited, prices: undefined, dataDir, workers: 1 },
    resultsFile: join(dataDir, "results.jsonl"),
    env: { DATABASE_URL: database.url, REDIS_URL: `${url}?prefix=${prefix}` },
    tell: () => {},
  };
}

/** Returns the rows without the one figure that depends on the machine. */
function scoresOf(rows: readonly Row[]) {
  return rows.map(({ seconds, ...row }) => row);
}

test.runIf(runsAllTests)(
  "an honest provider scores everything, one that errs less, and a run continues where its budget ended it",
  async () => {
    const options = await createOptions();
    const cut = await runBenchmark({ ...options, budget: { ...unlimited, requests: 3 } });
    expect(cut.isComplete).toBe(false);
    expect(cut.results).toHaveLength(3);
    expect(cut.spent.requests).toBe(3);

    // The refusal that ended the first run pauses the provider for a minute, for all workers of this Redis.
    const again = testRedis();
    const env = { ...options.env, REDIS_URL: `${again.url}?prefix=${again.prefix}` };
    const whole = await runBenchmark({ ...options, env });
    expect(whole.isComplete).toBe(true);
    expect(whole.results).toHaveLength(4);
    expect(whole.results.slice(0, 3)).toEqual(cut.results);
    expect(whole.spent.requests).toBe(4);
    const [honest, edges] = summarize(options.cases, whole.results);
    expect(honest?.score).toMatchObject({
      ...{ answered: { of: 2, all: 2 }, withinHalf: { of: 18, all: 18 }, complete: { of: 8, all: 8 } },
      ...{ precise: { of: 8, all: 8 }, values: { of: 8, all: 8 }, invented: { of: 0, all: 8 } },
    });
    expect(shareOf(edges?.score.withinOne ?? { of: 1, all: 1 })).toBeLessThan(0.9);
    expect(honest?.spent.inTokens).toBeGreaterThan(1000);
  },
);

test.runIf(runsAllTests)("two runs with the same seeds have the same score", async () => {
  const options = await createOptions();
  const modes = ["edges", "minute", "repeat", "invent", "short-list"];
  const all = { ...options, modes, cases: [tinyCase(1), tinyCase(2)] };
  const first = await runBenchmark(all);
  const second = await runBenchmark({ ...all, resultsFile: join(options.dataDir, "again.jsonl"), workers: 2 });
  expect(scoresOf(summarize(all.cases, second.results))).toEqual(scoresOf(summarize(all.cases, first.results)));
});

test.runIf(runsAllTests)("a server of chat completions is measured through its own settings, job by job", async () => {
  const emulator = await startEmulator({ as: "vllm" });
  onTestFinished(() => emulator.stop());
  const url = `${emulator.url}/v1`;
  const chat = { PROVIDER: "chat", CHAT_BASE_URL: url, CHAT_MODEL: "emulated-vl" };
  const options = await createOptions();
  const { results, spent } = await runBenchmark({ ...options, provider: { url, apiKey: "quality", chat } });
  expect(results).toHaveLength(2);
  expect(results.every((result) => result.spent.inTokens > 1000)).toBe(true);
  expect(spent.inTokens).toBe(results.reduce((sum, result) => sum + result.spent.inTokens, 0));
});
